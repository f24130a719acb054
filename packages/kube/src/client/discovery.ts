import { z } from 'zod';
import { isApiError } from '../object/api-error.ts';
import type { ResourceType } from '../object/meta.ts';

/** A kind that the server serves. */
export interface ServedResource extends ResourceType {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** The kinds that a server serves. */
export interface Discovery {
  /** Each kind once, in the version that its group prefers among the versions with this kind. */
  readonly resources: readonly ServedResource[];
  /** Group versions (`metrics.k8s.io/v1beta1`) whose kinds are currently unknown because their aggregated API server does not respond. */
  readonly unavailable: readonly string[];
}

/** GETs a path with an `Accept` header; rejects with an ApiError for an error response. */
type GetPath = (path: string, accept: string) => Promise<unknown>;

const ResponseKind = z.looseObject({
  group: z.string().default(''),
  version: z.string().default(''),
  kind: z.string(),
});

const AggregatedDiscovery = z.object({
  kind: z.literal('APIGroupDiscoveryList'),
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().default('') }).default({ name: '' }),
      versions: z
        .array(
          z.object({
            version: z.string(),
            freshness: z.string().optional(),
            resources: z
              .array(
                z.object({
                  resource: z.string(),
                  responseKind: ResponseKind.nullish(),
                  scope: z.string(),
                  verbs: z.array(z.string()).default([]),
                  subresources: z.array(z.object({ subresource: z.string() })).default([]),
                }),
              )
              .default([]),
          }),
        )
        .default([]),
    }),
  ),
});

const ApiGroupList = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      versions: z.array(z.object({ version: z.string() })),
      preferredVersion: z.object({ version: z.string() }).optional(),
    }),
  ),
});

const ApiResourceList = z.object({
  resources: z
    .array(
      z.object({ name: z.string(), namespaced: z.boolean(), kind: z.string(), verbs: z.array(z.string()).default([]) }),
    )
    .nullish(),
});

const ACCEPT_AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

/**
 * Discovers the served kinds: two requests with aggregated discovery (1.27 and later), otherwise one per group version.
 */
export async function discover(get: GetPath): Promise<Discovery> {
  const [core, groups] = await Promise.all([get('/api', ACCEPT_AGGREGATED), get('/apis', ACCEPT_AGGREGATED)]);
  const aggregated = [AggregatedDiscovery.safeParse(core), AggregatedDiscovery.safeParse(groups)];
  const collector = new DiscoveryCollector();
  if (aggregated.every((result) => result.success)) {
    for (const { data } of aggregated) collectAggregated(data, collector);
  } else {
    await collectLegacy(get, groups, collector);
  }
  return collector.discovery();
}

/** Keeps the first version found for each kind. */
class DiscoveryCollector {
  readonly #resources = new Map<string, ServedResource>();
  readonly #unavailable: string[] = [];

  add(resource: ServedResource): void {
    const key = `${resource.plural}.${resource.group}`;
    if (!this.#resources.has(key)) this.#resources.set(key, resource);
  }

  addUnavailable(group: string, version: string): void {
    this.#unavailable.push(group === '' ? version : `${group}/${version}`);
  }

  discovery(): Discovery {
    return { resources: [...this.#resources.values()], unavailable: this.#unavailable };
  }
}

function collectAggregated(discovery: z.infer<typeof AggregatedDiscovery>, collector: DiscoveryCollector): void {
  for (const { metadata, versions } of discovery.items) {
    const group = metadata.name;
    for (const { version, freshness, resources } of versions) {
      if (freshness === 'Stale') collector.addUnavailable(group, version);
      for (const { resource, responseKind, scope, verbs, subresources } of resources) {
        if (!responseKind) continue;
        collector.add({
          group,
          version,
          plural: resource,
          kind: responseKind.kind,
          namespaced: scope === 'Namespaced',
          verbs,
          subresources: subresources.map(({ subresource }) => subresource),
        });
      }
    }
  }
}

async function collectLegacy(get: GetPath, groups: unknown, collector: DiscoveryCollector): Promise<void> {
  await collectGroupVersion(get, '', 'v1', collector);
  for (const { name, versions, preferredVersion } of ApiGroupList.parse(groups).groups) {
    const preferred = preferredVersion?.version;
    const ordered = versions
      .map(({ version }) => version)
      .sort((a, b) => Number(b === preferred) - Number(a === preferred));
    for (const version of ordered) await collectGroupVersion(get, name, version, collector);
  }
}

async function collectGroupVersion(
  get: GetPath,
  group: string,
  version: string,
  collector: DiscoveryCollector,
): Promise<void> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources } = ApiResourceList.parse(await get(path, 'application/json'));
    const names = (resources ?? []).map(({ name }) => name);
    for (const { name, namespaced, kind, verbs } of resources ?? []) {
      if (name.includes('/')) continue;
      const subresources = names
        .filter((other) => other.startsWith(`${name}/`))
        .map((other) => other.slice(name.length + 1));
      collector.add({ group, version, plural: name, kind, namespaced, verbs, subresources });
    }
  } catch (error) {
    if (!isApiError(error, 'ServiceUnavailable', 'NotFound')) throw error;
    collector.addUnavailable(group, version);
  }
}
