import { createHash } from 'node:crypto';
import type { RemoteGroupVersion } from '../aggregation/aggregator.ts';
import { withRemoteGroups } from '../aggregation/group-order.ts';
import { groupVersionKey } from '../aggregation/remote-api.ts';
import { resourceDiscovery as remoteDiscovery } from '../aggregation/remote-resources.ts';
import { acceptsJson, notAcceptable, parseAccept } from './negotiation.ts';
import type { Registry } from './registry.ts';
import { type ApiRequest, type ApiResponse, JSON_TYPE, jsonResponse } from './request.ts';
import type { ServedResource } from './served-resource.ts';
import { isPatchable } from './subresource.ts';
import { compareVersions } from './version-order.ts';

interface Subresource {
  readonly name: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const shared = new WeakMap<object, Discovery>();

/**
 * The documents for the current registry, and those of other API servers. Servers that serve the same kinds share
 * them.
 */
export function discoveryOf(registry: Registry, remote: readonly RemoteGroupVersion[] = []): Discovery {
  const key = registry.shared;
  if (key === undefined || remote.length > 0) return new Discovery(registry.all(), remote);
  let discovery = shared.get(key);
  if (discovery === undefined) {
    discovery = new Discovery(registry.all());
    shared.set(key, discovery);
  }
  return discovery;
}

/**
 * `/api`, `/apis` and the paths below them, in the legacy and the aggregated form. Each document is generated once, on
 * first use.
 */
export class Discovery {
  /** By group, then by version; the preferred version first. */
  readonly #groups: ReadonlyMap<string, ReadonlyMap<string, readonly ServedResource[]>>;
  /** Group versions of other servers, which have no kinds in `#groups`. */
  readonly #remote: ReadonlyMap<string, RemoteGroupVersion>;
  readonly #documents = new Map<string, { readonly text: string; readonly etag: string }>();

  constructor(resources: readonly ServedResource[], remote: readonly RemoteGroupVersion[] = []) {
    const groups = new Map<string, Map<string, ServedResource[]>>();
    for (const resource of resources) {
      const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>();
      groups.set(resource.group, versions);
      const list = versions.get(resource.version) ?? [];
      versions.set(resource.version, list);
      list.push(resource);
    }
    const sorted = new Map(
      [...groups].map(([group, versions]) => [group, new Map([...versions].sort(([a], [b]) => compareVersions(a, b)))]),
    );
    this.#groups = withRemoteGroups(sorted, remote);
    this.#remote = new Map(remote.map((one) => [groupVersionKey(one.api), one]));
  }

  /** Undefined if it is not a discovery path. */
  handle(request: ApiRequest): ApiResponse | undefined {
    const [root, ...rest] = request.path.split('/').filter((segment) => segment !== '');
    if (root === 'api' && rest.length === 0) return this.#rootResponse(request, 'api');
    if (root === 'apis' && rest.length === 0) return this.#rootResponse(request, 'apis');
    if (root === 'api' && rest.length === 1) return this.#versionResponse('', rest[0] ?? '');
    if (root !== 'apis') return undefined;
    const [group = '', version = ''] = rest;
    if (rest.length === 1) return this.#groupResponse(group);
    return rest.length === 2 ? this.#versionResponse(group, version) : undefined;
  }

  /** The served group versions, for the OpenAPI index and `kubectl api-versions`. */
  get groupVersions(): readonly { readonly group: string; readonly version: string }[] {
    return [...this.#groups].flatMap(([group, versions]) =>
      [...versions.keys()].map((version) => ({ group, version })),
    );
  }

  #rootResponse(request: ApiRequest, root: 'api' | 'apis'): ApiResponse {
    for (const range of parseAccept(request.headers['accept'])) {
      if (!acceptsJson(range)) continue;
      const version = range.parameters.get('v') ?? '';
      if (range.parameters.get('as') === undefined) return this.#legacyRoot(request, root);
      if (range.parameters.get('g') !== 'apidiscovery.k8s.io' || !['v2', 'v2beta1'].includes(version)) continue;
      if (range.parameters.get('as') !== 'APIGroupDiscoveryList') continue;
      const document = this.#document(`${root} ${version}`, () => this.#aggregated(root, version));
      const contentType = `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      return etagResponse(request, contentType, document);
    }
    throw notAcceptable();
  }

  #legacyRoot(request: ApiRequest, root: 'api' | 'apis'): ApiResponse {
    if (root === 'apis') {
      const document = this.#document('apis', () => ({
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [...this.#groups.keys()].filter((group) => group !== '').map((group) => this.#group(group)),
      }));
      return etagResponse(request, JSON_TYPE, document);
    }
    const serverAddress = request.headers['host'] ?? 'kubernetes.default.svc';
    return jsonResponse(200, {
      kind: 'APIVersions',
      versions: [...(this.#groups.get('')?.keys() ?? [])],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    });
  }

  #groupResponse(group: string): ApiResponse | undefined {
    if (!this.#groups.has(group)) return undefined;
    return jsonResponse(
      200,
      this.#document(`group ${group}`, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...this.#group(group) })).text,
    );
  }

  #group(group: string) {
    const versions = [...(this.#groups.get(group)?.keys() ?? [])].map((version) => ({
      groupVersion: `${group}/${version}`,
      version,
    }));
    return { name: group, versions, preferredVersion: versions[0] };
  }

  #versionResponse(group: string, version: string): ApiResponse | undefined {
    const resources = this.#groups.get(group)?.get(version);
    if (resources === undefined) return undefined;
    const document = this.#document(`version ${group}/${version}`, () => ({
      kind: 'APIResourceList',
      ...(group !== '' && { apiVersion: 'v1' }),
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: resources.flatMap(apiResources),
    }));
    return jsonResponse(200, document.text);
  }

  #aggregated(root: 'api' | 'apis', version: string): object {
    const groups = [...this.#groups].filter(([group]) => (group === '') === (root === 'api'));
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: groups.map(([group, versions]) => ({
        metadata: { name: group, creationTimestamp: null },
        versions: [...versions].map(([name, resources]) => {
          const remote = this.#remote.get(groupVersionKey({ group, version: name }));
          return {
            version: name,
            resources: remote
              ? remoteDiscovery(remote.resources, { group, version: name })
              : resources.map(resourceDiscovery),
            freshness: remote?.isStale ? 'Stale' : 'Current',
          };
        }),
      })),
    };
  }

  #document(key: string, make: () => object): { readonly text: string; readonly etag: string } {
    let document = this.#documents.get(key);
    if (document === undefined) {
      const text = JSON.stringify(make());
      const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`;
      document = { text, etag };
      this.#documents.set(key, document);
    }
    return document;
  }
}

function etagResponse(
  request: ApiRequest,
  contentType: string,
  { text, etag }: { text: string; etag: string },
): ApiResponse {
  const headers = { 'content-type': contentType, etag, vary: 'Accept' };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body: text };
}

function apiResources(resource: ServedResource): object[] {
  const { definition, plural, namespaced, kind } = resource;
  const main = {
    name: plural,
    singularName: definition.singular ?? kind.toLowerCase(),
    namespaced,
    kind,
    verbs: [...resource.verbs],
    ...(definition.shortNames && { shortNames: definition.shortNames }),
    ...(definition.categories && { categories: definition.categories }),
    ...(resource.verbs.has('get') && { storageVersionHash: storageVersionHash(resource) }),
  };
  const subresources = subresourcesOf(resource).map(({ name, kind: type, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...((type.group !== resource.group || type.version !== resource.version) && {
      group: type.group,
      version: type.version,
    }),
    kind: type.kind,
    verbs,
  }));
  return [main, ...subresources];
}

function resourceDiscovery(resource: ServedResource): object {
  const { definition, group, version, kind } = resource;
  const subresources = subresourcesOf(resource).map(({ name, kind: responseKind, verbs }) => ({
    subresource: name,
    responseKind,
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular ?? kind.toLowerCase(),
    verbs: [...resource.verbs],
    ...(definition.shortNames && { shortNames: definition.shortNames }),
    ...(definition.categories && { categories: definition.categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}

/** The subresources of a resource: status and scale if it has them, then its own. */
export function subresourcesOf(resource: ServedResource): Subresource[] {
  const { definition, group, version, kind } = resource;
  const found: Subresource[] = [];
  const own = { group, version, kind };
  if (definition.hasStatus) found.push({ name: 'status', kind: own, verbs: ['get', 'patch', 'update'] });
  if (definition.scale) found.push({ name: 'scale', kind: SCALE, verbs: ['get', 'patch', 'update'] });
  if (group === '' && resource.plural === 'namespaces') found.push({ name: 'finalize', kind: own, verbs: ['update'] });
  for (const [name, subresource] of Object.entries(definition.subresources ?? {})) {
    const verbs: string[] = (['create', 'get', 'update'] as const).filter((verb) => subresource[verb] !== undefined);
    if (isPatchable(resource, subresource)) verbs.splice(verbs.indexOf('update'), 0, 'patch');
    found.push({ name, kind: subresource.kind, verbs });
  }
  return found;
}

function storageVersionHash(resource: ServedResource): string {
  const { group, version, kind } = resource;
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
