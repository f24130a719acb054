import type { Service, ServicePort, ServiceSpec } from '@fairway/kube/kinds/generated/types';
import { DEFAULT_LOAD_BALANCERS } from '@fairway/openstack/config/load-balancer-settings';
import { ANNOTATION } from '../annotation-names.ts';
import type { LoadBalancerSettings } from '../settings.ts';

export const SETTINGS: LoadBalancerSettings = {
  ...DEFAULT_LOAD_BALANCERS,
  clusterName: 'demo',
  subnetID: 'nodes',
  memberSubnetID: 'nodes',
  floatingNetworkID: 'external',
};

export const HTTP: ServicePort = { name: 'http', protocol: 'TCP', port: 80, nodePort: 30080 };
export const DNS: ServicePort = { name: 'dns', protocol: 'UDP', port: 53, nodePort: 30053 };

type Annotations = Partial<Record<keyof typeof ANNOTATION, string>>;

/** A Service of type LoadBalancer; keys of `annotations` are the short names. */
export function aService(spec: Partial<ServiceSpec> = {}, annotations: Annotations = {}): Service {
  const names = Object.entries(annotations).map(([key, value]) => [ANNOTATION[key as keyof Annotations], value]);
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'service-uid', annotations: Object.fromEntries(names) },
    spec: { type: 'LoadBalancer', ipFamilies: ['IPv4'], ports: [HTTP], ...spec },
  };
}
