import { trimmedEnd } from '@fairway/base/trim';
import type { ServiceDefinition } from '../service-definition.ts';
import type { CatalogEntry } from '../types/identity.ts';

export type EndpointInterface = 'public' | 'internal' | 'admin';

/** Settings for one service that differ from those of its cloud. */
export interface ServiceEndpoint {
  readonly interface?: EndpointInterface;
  readonly region?: string;
}

export interface DesiredEndpoint {
  readonly service: Pick<ServiceDefinition, 'type' | 'aliases'>;
  readonly interface: EndpointInterface;
  /** Defaults to the only or first region. */
  readonly region: string | undefined;
}

export type EndpointChoice =
  | { readonly url: string }
  /** For errors: what the catalog contains instead. */
  | { readonly problem: string };

/** The URL of a service, from a token's catalog. */
export function findEndpoint(catalog: readonly CatalogEntry[], desired: DesiredEndpoint): EndpointChoice {
  const { type: serviceType, aliases = [] } = desired.service;
  const entries = catalog.filter(({ type }) => type === serviceType || aliases.includes(type));
  if (entries.length === 0) {
    const types = catalog.map((entry) => entry.type).sort();
    return { problem: `the catalog has no ${serviceType} service, only: ${types.join(', ') || 'nothing'}` };
  }
  const endpoints = entries.flatMap((entry) => entry.endpoints);
  const matchingEndpoints = endpoints.filter((endpoint) => endpoint.interface === desired.interface);
  const found = matchingEndpoints.find(
    (endpoint) => desired.region === undefined || (endpoint.region_id ?? endpoint.region) === desired.region,
  );
  if (found !== undefined) return { url: trimmedEnd(found.url, '/') };
  const availableInterfaces = endpoints.map(
    (endpoint) => `${endpoint.interface} in ${endpoint.region_id ?? endpoint.region}`,
  );
  return {
    problem: `the catalog has no ${desired.interface} endpoint of ${serviceType}${
      desired.region === undefined ? '' : ` in region ${desired.region}`
    }, only: ${availableInterfaces.join(', ') || 'none'}`,
  };
}
