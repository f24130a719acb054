/**
 * The services that the simulator serves, by their official type. Where clients find each is its catalog entry; faults may name any of
 * them. What one answers is made in `cloud.ts`, which doesn't compile without all of them.
 */
export const SERVICE_LIST = {
  identity: { project: 'keystone', prefix: '/identity', endpoint: '/identity/v3' },
  compute: { project: 'nova', prefix: '/compute', endpoint: '/compute/v2.1' },
  network: { project: 'neutron', prefix: '/network', endpoint: '/network' },
  image: { project: 'glance', prefix: '/image', endpoint: '/image' },
  placement: { project: 'placement', prefix: '/placement', endpoint: '/placement' },
} as const satisfies Record<string, ServiceEntry>;

interface ServiceEntry {
  /** As the catalog names it. */
  readonly project: string;
  /** Path of its root. */
  readonly prefix: string;
  /** Path that the catalog gives: with the version where real catalogs have it. */
  readonly endpoint: string;
}

export type ServiceName = keyof typeof SERVICE_LIST;

export const SERVICE_NAMES = Object.keys(SERVICE_LIST) as ServiceName[];
