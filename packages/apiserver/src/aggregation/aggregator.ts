import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { APIService } from '@fairway/kube/kinds/generated/types';
import { APIServices, EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import type { UserInfo } from '../auth/user.ts';
import type { Outbound } from '../outbound/outbound-client.ts';
import type { Core } from '../server/core.ts';
import type { ApiRequest, ApiResponse } from '../server/request.ts';
import { bucketOf } from '../server/served-resource.ts';
import { isBodiless } from '../server/upgrade-response.ts';
import type { Change, Entry } from '../store/store.ts';
import { AvailabilityChecks } from './availability-checks.ts';
import type { FrontProxyIdentity } from './destination.ts';
import { Forwarder } from './forwarder.ts';
import { OpenApiV2Source } from './openapi-v2-source.ts';
import { groupVersionKey, groupVersionOf, type RemoteApi, remoteApiOf } from './remote-api.ts';
import type { DiscoveryResult } from './remote-check.ts';
import type { RemoteDocumentV2 } from './remote-document-v2.ts';
import type { RemoteResource } from './remote-resources.ts';
import { isForwarded, requestedProtocol } from './upgrades.ts';

/** How a server reaches the API servers behind APIServices. */
export interface AggregationOptions {
  /** Forwards requests. */
  readonly client: Outbound;
  /** Checks availability. This is a separate client, because hanging requests must not block the checks. */
  readonly checkingClient: Outbound;
  readonly identity: FrontProxyIdentity;
}

export interface AggregatorOptions extends AggregationOptions {
  readonly core: Core;
  readonly reader: ObjectReader;
  readonly writer: KubeClient;
}

/** A group version from another API server, for discovery. */
export interface RemoteGroupVersion {
  readonly api: RemoteApi;
  /** The result of the last check. */
  readonly resources: readonly RemoteResource[];
  readonly openApiHash: string | undefined;
  readonly isStale: boolean;
}

const API_SERVICES_BUCKET = bucketOf(APIServices);
const SERVICES_BUCKET = bucketOf(Services);
const ENDPOINT_SLICES_BUCKET = bucketOf(EndpointSlices);
const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
/** Limit on the total size of discovery data from all APIServices. */
const MAX_DISCOVERY_CHARS = 4 * 1024 * 1024;

interface KnownDiscovery extends DiscoveryResult {
  isStale: boolean;
}

/**
 * The aggregation layer: an APIService with a Service points to another API server. Group versions that this server
 * serves itself take precedence over APIServices. See docs/decisions/0069-aggregation-layer.md.
 */
export class Aggregator {
  readonly #options: AggregatorOptions;
  readonly #apis = new Map<string, RemoteApi>();
  /** Names of APIServices by `namespace/name` of their Service. */
  readonly #apisByService = new Map<string, Set<string>>();
  readonly #discoveries = new Map<string, KnownDiscovery>();
  readonly #checks: AvailabilityChecks;
  readonly #forwarder: Forwarder;
  readonly #openApiV2: OpenApiV2Source;
  readonly #listeners: (() => void)[] = [];
  #local: ReadonlySet<string> | undefined;
  #discovered: readonly RemoteGroupVersion[] | undefined;

  constructor(options: AggregatorOptions) {
    const { core, reader, client, checkingClient, identity, writer } = options;
    const { clock, random } = core;
    this.#options = options;
    const common = { reader, identity, clock, random, via: `kube-aggregator-${randomBytes(8).toString('hex')}` };
    const { maxAnswerBytes } = core.traffic.limits;
    this.#forwarder = new Forwarder({ ...common, client, maxAnswerBytes });
    this.#openApiV2 = new OpenApiV2Source({ ...common, client: checkingClient });
    this.#checks = new AvailabilityChecks({
      ...common,
      client: checkingClient,
      core,
      writer,
      apiOf: (name) => {
        const api = this.#apis.get(name);
        return api && this.find(api.group, api.version);
      },
      onDiscovered: (api, discovered) => this.#recordDiscovery(api, discovered),
    });
    core.registry.onChange(() => this.#onRegistryChange());
    for (const entry of core.store.list(API_SERVICES_BUCKET)) this.#follow(entry);
    core.observe((changes) => this.#onChanges(changes));
  }

  get hasApis(): boolean {
    return this.#apis.size > 0;
  }

  /** The API server that serves a group version; undefined if it is this one. */
  find(group: string, version: string): RemoteApi | undefined {
    const api = this.#apis.get(`${version}.${group}`);
    return api === undefined || this.#isLocal(api) ? undefined : api;
  }

  /** Group versions from other servers, for discovery. Returns the same array as long as nothing changes. */
  get discovered(): readonly RemoteGroupVersion[] {
    this.#discovered ??= [...this.#apis.values()]
      .filter((api) => !this.#isLocal(api))
      .map((api) => {
        const { resources = [], openApiHash, isStale = true } = this.#discoveries.get(api.name) ?? {};
        return { api, resources, openApiHash, isStale };
      });
    return this.#discovered;
  }

  /** OpenAPI v2 documents from the available servers. Returns the same array as long as they are unchanged. */
  async openApiV2(): Promise<readonly RemoteDocumentV2[]> {
    const apis = this.discovered.filter(({ isStale }) => !isStale).map(({ api }) => api);
    return this.#openApiV2.documents(apis);
  }

  /** Registers a callback for changes to `discovered`. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  forward(
    api: RemoteApi,
    request: ApiRequest,
    options: { readonly user: UserInfo; readonly auditId: string; readonly isLong: boolean },
  ): Promise<ApiResponse> {
    return this.#forwarder.forward(api, request, options);
  }

  /** Whether a request, whose headers have been read, may be upgraded by another API server. */
  mayUpgrade(request: IncomingMessage): boolean {
    const protocol = requestedProtocol(request.headers);
    if (protocol === undefined || !isForwarded(protocol) || !isBodiless(request)) return false;
    const groupVersion = groupVersionOf(request.url?.split('?', 1)[0] ?? '');
    return groupVersion !== undefined && this.find(groupVersion.group, groupVersion.version) !== undefined;
  }

  close(): void {
    this.#checks.close();
  }

  #isLocal(api: RemoteApi): boolean {
    this.#local ??= new Set(this.#options.core.registry.all().map(groupVersionKey));
    return this.#local.has(groupVersionKey(api));
  }

  #onRegistryChange(): void {
    const previous = this.#local;
    this.#local = undefined;
    if (this.#apis.size === 0) return;
    for (const api of this.#apis.values()) {
      if (previous?.has(groupVersionKey(api)) !== this.#isLocal(api)) this.#checks.check(api.name);
    }
    this.#changed();
  }

  #onChanges(changes: readonly Change[]): void {
    for (const { bucket, removed, entry, previous } of changes) {
      if (bucket === API_SERVICES_BUCKET) {
        if (removed) this.#forget(entry.key);
        else this.#follow(entry);
      } else if (this.#apis.size > 0 && (bucket === SERVICES_BUCKET || bucket === ENDPOINT_SLICES_BUCKET)) {
        for (const one of [entry, previous]) if (one !== undefined) this.#onServiceChange(serviceKeyOf(bucket, one));
      }
    }
  }

  #follow(entry: Entry): void {
    const { key } = entry;
    const api = remoteApiOf(entry.object() as APIService);
    const isSame = this.#apis.get(key)?.fingerprint === api?.fingerprint;
    if (!isSame) this.#forgetApi(key);
    if (api !== undefined) this.#addApi(api);
    // A status write does not trigger another check.
    if (!isSame || api === undefined) this.#checks.check(key);
    if (!isSame) this.#changed();
  }

  #forget(name: string): void {
    this.#checks.forget(name);
    if (this.#forgetApi(name)) this.#changed();
  }

  #addApi(api: RemoteApi): void {
    this.#apis.set(api.name, api);
    const key = serviceKey(api);
    const names = this.#apisByService.get(key) ?? new Set();
    this.#apisByService.set(key, names.add(api.name));
  }

  #forgetApi(name: string): boolean {
    const api = this.#apis.get(name);
    if (api === undefined) return false;
    const key = serviceKey(api);
    const names = this.#apisByService.get(key);
    names?.delete(name);
    if (names?.size === 0) this.#apisByService.delete(key);
    this.#discoveries.delete(name);
    return this.#apis.delete(name);
  }

  #onServiceChange(key: string | undefined): void {
    if (key === undefined) return;
    for (const name of this.#apisByService.get(key) ?? []) this.#checks.check(name);
  }

  /**
   * Stores an API server's kinds. Returns the reason if they can't be stored, in which case the previous kinds are
   * kept.
   */
  #recordDiscovery(api: RemoteApi, discovered: DiscoveryResult | undefined): string | undefined {
    if (this.#apis.get(api.name)?.fingerprint !== api.fingerprint) return undefined;
    const previous = this.#discoveries.get(api.name);
    if (discovered === undefined) {
      if (previous === undefined || previous.isStale) return undefined;
      previous.isStale = true;
      this.#changed();
      return undefined;
    }
    const others = [...this.#discoveries].reduce(
      (sum, [name, { text }]) => sum + (name === api.name ? 0 : text.length),
      0,
    );
    if (others + discovered.text.length > MAX_DISCOVERY_CHARS) {
      return `the discovery documents of all APIServices together have more than ${MAX_DISCOVERY_CHARS} characters`;
    }
    this.#discoveries.set(api.name, { ...discovered, isStale: false });
    const isSame = previous?.text === discovered.text && previous.openApiHash === discovered.openApiHash;
    if (!isSame || previous.isStale) this.#changed();
    return undefined;
  }

  #changed(): void {
    this.#discovered = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function serviceKey({ service }: RemoteApi): string {
  return `${service.namespace}/${service.name}`;
}

/** Key of a Service, or of an EndpointSlice's Service. */
function serviceKeyOf(bucket: string, entry: Entry): string | undefined {
  if (bucket === SERVICES_BUCKET) return entry.key;
  const { namespace, labels } = entry.object().metadata;
  const name = labels?.[SERVICE_NAME_LABEL];
  return name === undefined ? undefined : `${namespace}/${name}`;
}
