import type { ServiceType } from '../service-type.ts';
import type { CatalogEntry } from '../types/identity.ts';

export type EndpointInterface = 'public' | 'internal' | 'admin';

/** Names that catalogs use for a service type, the official one first. https://service-types.openstack.org */
const ALIASES = {
  identity: ['identity'],
  compute: ['compute'],
  network: ['network'],
  image: ['image'],
  'load-balancer': ['load-balancer'],
  'block-storage': ['block-storage', 'volumev3', 'block-store', 'volume'],
  'shared-file-system': ['shared-file-system', 'sharev2', 'share'],
  dns: ['dns'],
  'key-manager': ['key-manager'],
} as const satisfies Record<ServiceType, readonly string[]>;

export interface EndpointWish {
  readonly service: ServiceType;
  readonly interface: EndpointInterface;
  /** Undefined takes the only region there is, or the first. */
  readonly region: string | undefined;
}

export type EndpointChoice =
  | { readonly url: string }
  /** Says what the catalog has instead. */
  | { readonly problem: string };

/** The URL of a service as the catalog of a token gives it. */
export function findEndpoint(catalog: readonly CatalogEntry[], wish: EndpointWish): EndpointChoice {
  const aliases: readonly string[] = ALIASES[wish.service];
  const entries = catalog.filter((entry) => aliases.includes(entry.type));
  if (entries.length === 0) {
    const types = catalog.map((entry) => entry.type).sort();
    return { problem: `the catalog has no ${wish.service} service, only: ${types.join(', ') || 'nothing'}` };
  }
  const endpoints = entries.flatMap((entry) => entry.endpoints);
  const ofInterface = endpoints.filter((endpoint) => endpoint.interface === wish.interface);
  const found = ofInterface.find(
    (endpoint) => wish.region === undefined || (endpoint.region_id ?? endpoint.region) === wish.region,
  );
  if (found !== undefined) return { url: found.url.replace(/\/+$/, '') };
  const there = endpoints.map((endpoint) => `${endpoint.interface} in ${endpoint.region_id ?? endpoint.region}`);
  return {
    problem: `the catalog has no ${wish.interface} endpoint of ${wish.service}${
      wish.region === undefined ? '' : ` in region ${wish.region}`
    }, only: ${there.join(', ') || 'none'}`,
  };
}
