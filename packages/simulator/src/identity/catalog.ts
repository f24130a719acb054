import { createHash } from 'node:crypto';

const SERVICES = [
  { type: 'identity', name: 'keystone', path: '/identity/v3' },
  { type: 'compute', name: 'nova', path: '/compute/v2.1' },
  { type: 'network', name: 'neutron', path: '/network' },
  { type: 'image', name: 'glance', path: '/image' },
  { type: 'placement', name: 'placement', path: '/placement' },
] as const;

const INTERFACES = ['public', 'internal', 'admin'] as const;

export interface CatalogEndpoint {
  readonly id: string;
  readonly interface: string;
  readonly region: string;
  readonly region_id: string;
  readonly url: string;
}

export interface CatalogService {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly CatalogEndpoint[];
}

/** The service catalog, with the address under which the client found the cloud. */
export function catalogFor(origin: string, region: string): CatalogService[] {
  return SERVICES.map(({ type, name, path }) => ({
    id: stableId(type),
    type,
    name,
    endpoints: INTERFACES.map((face) => ({
      id: stableId(`${type}/${face}`),
      interface: face,
      region,
      region_id: region,
      url: `${origin}${path}`,
    })),
  }));
}

function stableId(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
