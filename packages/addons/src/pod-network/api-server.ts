import type { PodSpec } from '@fairway/kube/kinds/generated/types';

type Variable = NonNullable<PodSpec['containers'][number]['env']>[number];

/**
 * The environment variables with which a client in a pod reaches the API server at this URL without Services, which do
 * not work on a new node until it has a network.
 */
export function apiServerVariables(server: string): Variable[] {
  const { hostname, port } = new URL(server);
  return [
    { name: 'KUBERNETES_SERVICE_HOST', value: hostname.replace(/^\[|\]$/g, '') },
    { name: 'KUBERNETES_SERVICE_PORT', value: port === '' ? '443' : port },
  ];
}

/** An environment variable whose value comes from a field of the pod. */
export function fieldVariable(name: string, fieldPath: string): Variable {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
