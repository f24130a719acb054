import type { ServiceDefinition } from '@fairway/openstack/service-definition';
import { SERVICES, type ServiceType } from '@fairway/openstack/services';
import type { CatalogEntry } from '@fairway/openstack/types/identity';

type Catalog = readonly CatalogEntry[];

/** Services without an endpoint in the region, or in any region if it is not specified. Pure. */
export function missingServices(catalog: Catalog, region: string | undefined): ServiceType[] {
  return SERVICES.filter((service: ServiceDefinition) => {
    const { type, aliases = [] } = service;
    const entries = catalog.filter((entry) => entry.type === type || aliases.includes(entry.type));
    const endpoints = entries.flatMap((entry) => entry.endpoints);
    return !endpoints.some((endpoint) => region === undefined || regionOf(endpoint) === region);
  }).map(({ type }) => type);
}

/** The regions that the catalog mentions, sorted. Pure. */
export function regionsOf(catalog: Catalog): string[] {
  const regions = catalog.flatMap(({ endpoints }) => endpoints.map(regionOf));
  return [...new Set(regions.filter((region) => region !== undefined))].sort();
}

function regionOf({ region_id, region }: CatalogEntry['endpoints'][number]): string | undefined {
  return region_id ?? region ?? undefined;
}
