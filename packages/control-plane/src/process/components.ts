/** A control plane's programs, in start order. */
export const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

export type Component = (typeof COMPONENTS)[number];

/** Dependencies that must be ready before a component is started. */
export const COMPONENT_DEPENDENCIES: Readonly<Record<Component, readonly Component[]>> = {
  etcd: [],
  'kube-apiserver': ['etcd'],
  'kube-controller-manager': ['kube-apiserver'],
  'kube-scheduler': ['kube-apiserver'],
};

export function perComponent<Value>(make: (component: Component) => Value): Record<Component, Value> {
  return {
    etcd: make('etcd'),
    'kube-apiserver': make('kube-apiserver'),
    'kube-controller-manager': make('kube-controller-manager'),
    'kube-scheduler': make('kube-scheduler'),
  };
}
