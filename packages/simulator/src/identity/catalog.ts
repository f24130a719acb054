import { createHash } from 'node:crypto';
import { SERVICE_LIST, type ServiceName } from '../service-list.ts';
import type { World } from '../world.ts';

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

/** The service catalog, with the address that the client used and the project of the client's token. */
export function catalogFor(
  { config, announced }: Pick<World, 'config' | 'announced'>,
  origin: string,
  projectId: string,
): CatalogService[] {
  const { region, missingServices = [] } = config;
  const own = entries(missingServices).map(({ type, project, endpoint }) => ({
    type,
    name: project,
    url: `${origin}${endpoint.replace('{project}', projectId)}`,
  }));
  return [...own, ...announced.values()].map(({ type, name, url }) => ({
    id: stableId(type),
    type,
    name,
    endpoints: INTERFACES.map((interfaceName) => ({
      id: stableId(`${type}/${interfaceName}`),
      interface: interfaceName,
      region,
      region_id: region,
      url,
    })),
  }));
}

function entries(
  missing: readonly ServiceName[],
): { readonly type: string; readonly project: string; readonly endpoint: string }[] {
  return Object.entries(SERVICE_LIST)
    .filter(([type]) => !missing.some((each) => each === type))
    .flatMap(([type, service]) => [
      { type, project: service.project, endpoint: service.endpoint },
      ...('alias' in service ? [{ ...service.alias, endpoint: service.endpoint }] : []),
    ]);
}

function stableId(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
