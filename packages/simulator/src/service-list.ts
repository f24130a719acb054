/**
 * The services that the simulator provides, by their official type. Clients find each service by its catalog entry, and
 * faults can refer to any of them. `cloud.ts` creates the services and does not compile unless all of them exist.
 */
export const SERVICE_LIST = {
  identity: { project: 'keystone', prefix: '/identity', endpoint: '/identity/v3' },
  compute: { project: 'nova', prefix: '/compute', endpoint: '/compute/v2.1' },
  network: { project: 'neutron', prefix: '/network', endpoint: '/network' },
  image: { project: 'glance', prefix: '/image', endpoint: '/image' },
  'load-balancer': { project: 'octavia', prefix: '/load-balancer', endpoint: '/load-balancer' },
  placement: { project: 'placement', prefix: '/placement', endpoint: '/placement' },
  'block-storage': {
    project: 'cinder',
    prefix: '/volume',
    endpoint: '/volume/v3/{project}',
    alias: { type: 'volumev3', project: 'cinderv3' },
  },
  'shared-file-system': {
    project: 'manila',
    prefix: '/share',
    endpoint: '/share/v2',
    alias: { type: 'sharev2', project: 'manilav2' },
  },
  'key-manager': { project: 'barbican', prefix: '/key-manager', endpoint: '/key-manager' },
} as const satisfies Record<string, ServiceEntry>;

interface ServiceEntry {
  /** Name of the service in the catalog. */
  readonly project: string;
  /** Path of the service's root. */
  readonly prefix: string;
  /** Path in the catalog, including the version and project, as in real catalogs. */
  readonly endpoint: string;
  /** A second catalog entry, for clients that look up the service by an older type. */
  readonly alias?: { readonly type: string; readonly project: string };
}

export type ServiceName = keyof typeof SERVICE_LIST;

export const SERVICE_NAMES = Object.keys(SERVICE_LIST) as ServiceName[];
