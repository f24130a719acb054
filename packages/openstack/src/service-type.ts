/** The official service types of https://service-types.openstack.org that Fairway speaks to. */
export const SERVICE_TYPES = [
  'identity',
  'compute',
  'network',
  'image',
  'load-balancer',
  'block-storage',
  'shared-file-system',
  'dns',
  'key-manager',
] as const;
export type ServiceType = (typeof SERVICE_TYPES)[number];
