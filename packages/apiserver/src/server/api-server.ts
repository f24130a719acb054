import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Transport } from '@fairway/kube/client/transport';
import { FlowSchemas } from '@fairway/kube/kinds/resources';
import { type AggregationOptions, Aggregator } from '../aggregation/aggregator.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Access } from '../auth/access.ts';
import type { Authenticator, Authorizer, Credentials, UserInfo } from '../auth/user.ts';
import { ANONYMOUS } from '../auth/well-known-users.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import type { WebhookCaller } from '../outbound/webhook-caller.ts';
import type { Definitions } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import { authenticate } from './authenticate.ts';
import { identifyConnection } from './connections.ts';
import { Core } from './core.ts';
import { CrdRegistry } from './crd-registry.ts';
import { endWithCredentials } from './credential-expiry.ts';
import { Health, type HealthCheck } from './health.ts';
import { serveHttp } from './http-exchange.ts';
import { inProcessTransport } from './in-process-transport.ts';
import type { ServerLimits } from './limits.ts';
import { type Listener, type ListenOptions, listen } from './listener.ts';
import { Pipeline } from './pipeline.ts';
import { readerOf } from './reader.ts';
import { Registry } from './registry.ts';
import { staysOpen } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { type Route, Routes } from './routes.ts';
import { type ServedKinds, servedKinds } from './served-kinds.ts';
import { type ReadSession, withSession } from './session-reader.ts';
import { holderOf, Traffic } from './traffic.ts';

/** The response from `/version`. */
export interface VersionInfo {
  readonly gitVersion: string;
  readonly major: string;
  readonly minor: string;
  readonly gitCommit?: string;
  readonly gitTreeState?: string;
  readonly buildDate?: string;
  readonly goVersion?: string;
  readonly compiler?: string;
  readonly platform?: string;
}

export interface ApiServerOptions {
  readonly store: Store;
  /** The kinds to serve. Servers created with the same array share everything derived from it. */
  readonly resources: readonly ResourceDefinition[];
  /** Definitions referenced by the resources' schemas. */
  readonly definitions?: Definitions;
  /**
   * The same definitions with descriptions, which only OpenAPI needs. Read when a document is generated; `definitions`
   * by default.
   */
  readonly documentation?: () => Definitions;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly version: VersionInfo;
  readonly authenticators?: readonly Authenticator[];
  /** Accepts requests without credentials as `system:anonymous`; off by default. */
  readonly anonymous?: boolean;
  /** Without an authorizer, everything is allowed. */
  readonly authorizer?: Authorizer;
  /** Used by review kinds and token requests; `createAuth` returns it together with authenticators, authorizer and admission. */
  readonly access?: Access;
  readonly admission?: readonly AdmissionPlugin[];
  /** Converts custom resources, if definitions may use conversion webhooks (`CUSTOM_RESOURCE_DEFINITIONS_WITH_WEBHOOKS`). */
  readonly webhookCaller?: WebhookCaller;
  /** Implements users' APIServices; without it they are only stored. */
  readonly aggregation?: AggregationOptions;
  /** Browser sessions; none by default. */
  readonly readSession?: ReadSession;
  /** Records audit events; closed by the caller. */
  readonly auditor?: Auditor;
  /** Traces clients' requests; none by default. */
  readonly tracer?: Tracer | undefined;
  readonly random?: () => number;
  /** Number of changes kept for watches to resume from; 4096 by default. */
  readonly watchCacheSize?: number;
  /** Maximum size of these changes in bytes; 4 MiB by default. */
  readonly watchCacheBytes?: number;
  /** Interval between bookmarks on a watch; a minute by default. */
  readonly bookmarkMs?: number;
  /** Limits on clients that override `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ServerLimits>;
}

const DEFAULT_WATCH_CACHE_SIZE = 4096;
const DEFAULT_WATCH_CACHE_BYTES = 4 * 1024 * 1024;
/** Same as upstream. */
const DEFAULT_BOOKMARK_MS = 60_000;
/** Field manager of the status of APIServices. */
const AVAILABILITY_FIELD_MANAGER: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:authenticated', 'system:masters'],
};

/** An embedded Kubernetes API server. See docs/decisions/0003-embedded-api-server.md. */
export class ApiServer {
  /** Reads stored objects, for authorizers, authenticators and admission plugins. */
  readonly reader: ObjectReader;
  /** For controllers that use other kinds' schemas. */
  readonly kinds: ServedKinds;
  /** Clients' connections, requests and watches, for metrics. */
  readonly traffic: Traffic;
  /** Priority levels and waiting requests, for metrics. */
  readonly flowControl: FlowControl;
  readonly #options: ApiServerOptions;
  readonly #registry: Registry;
  readonly #core: Core;
  readonly #crds: CrdRegistry;
  readonly #aggregator: Aggregator | undefined;
  readonly #health = new Health();
  readonly #routes = new Routes();
  readonly #pipeline: Pipeline;
  readonly #listeners = new Set<Listener>();

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#registry = new Registry(options.resources);
    this.kinds = servedKinds(this.#registry);
    this.traffic = new Traffic({ limits: options.limits, clock: options.clock });
    this.#core = new Core({
      store: options.store,
      registry: this.#registry,
      definitions: options.definitions ?? new Map(),
      clock: options.clock,
      random: options.random ?? Math.random,
      log: options.log ?? silentLogger,
      admission: options.admission ?? [],
      watchCacheSize: options.watchCacheSize ?? DEFAULT_WATCH_CACHE_SIZE,
      watchCacheBytes: options.watchCacheBytes ?? DEFAULT_WATCH_CACHE_BYTES,
      bookmarkMs: options.bookmarkMs ?? DEFAULT_BOOKMARK_MS,
      traffic: this.traffic,
      webhookCaller: options.webhookCaller,
    });
    this.#crds = new CrdRegistry(this.#core);
    this.reader = readerOf(this.#core);
    this.#aggregator =
      options.aggregation &&
      new Aggregator({
        ...options.aggregation,
        core: this.#core,
        reader: this.reader,
        writer: new KubeClient(this.transport(AVAILABILITY_FIELD_MANAGER), { clock: options.clock }),
      });
    const { maxReadingRequests, maxMutatingRequests } = this.traffic.limits;
    this.flowControl = new FlowControl({
      reader: this.reader,
      clock: options.clock,
      random: options.random ?? Math.random,
      seats: maxReadingRequests + maxMutatingRequests,
      isConfigurable: this.#registry.find(FlowSchemas.group, FlowSchemas.version, FlowSchemas.plural) !== undefined,
      holderOf,
    });
    this.#pipeline = new Pipeline({
      core: this.#core,
      authorizer: options.authorizer,
      access: options.access,
      version: options.version,
      documentation: options.documentation ?? (() => options.definitions ?? new Map()),
      health: this.#health,
      routes: this.#routes,
      traffic: this.traffic,
      flowControl: this.flowControl,
      auditor: options.auditor,
      aggregator: this.#aggregator,
      tracer: options.tracer,
    });
  }

  register(definition: ResourceDefinition): void {
    this.#registry.register(definition);
  }

  /** Stops serving a resource in all its versions and ends its watches. Its objects stay in the store. */
  unregister(group: string, plural: string): void {
    this.#registry.unregister(group, plural);
    this.#core.watchers.finish(group === '' ? plural : `${plural}.${group}`);
  }

  /** Mounts a path outside the Kubernetes API. */
  addRoute(route: Route): void {
    this.#routes.add(route);
  }

  /** Adds a check to `/healthz`, `/livez` (unless `readyOnly`) and `/readyz`. */
  addHealthCheck(name: string, check: HealthCheck, options?: { readonly readyOnly?: boolean }): void {
    this.#health.add(name, check, options);
  }

  /** Whether another API server serves a group version, in which case its objects are not stored here. */
  isAggregated({ group, version }: { readonly group: string; readonly version: string }): boolean {
    return this.#aggregator?.find(group, version) !== undefined;
  }

  /** Sends requests within this process as `user`, through every step after authentication. */
  transport(user: UserInfo): Transport {
    return inProcessTransport((request) => this.#pipeline.response(request, () => Promise.resolve(user)));
  }

  /**
   * Sends requests within this process with credentials, which are obtained for each request and checked like a
   * connection's credentials.
   */
  connect(credentials: () => Credentials): Transport {
    return inProcessTransport((request) => this.#pipeline.response(request, () => this.#authenticate(credentials())));
  }

  /** Serves one request received by a node:http or node:https server. */
  handler(request: IncomingMessage, response: ServerResponse): void {
    void serveHttp(request, response, this.traffic, async (apiRequest, credentials) => {
      const { authenticators = [], readSession } = this.#options;
      const presentedCredentials = () => withSession(credentials, apiRequest.headers, readSession);
      const apiResponse = await this.#pipeline.response(apiRequest, async () => {
        const user = await this.#authenticate(await presentedCredentials());
        if (user.username !== ANONYMOUS) identifyConnection(request.socket, response, user);
        return user;
      });
      if (staysOpen(apiResponse)) endWithCredentials(response, authenticators, await presentedCredentials());
      return apiResponse;
    });
  }

  async listen(options: ListenOptions): Promise<Listener> {
    const listener = await listen(
      options,
      (request, response) => this.handler(request, response),
      this.traffic,
      (request) => this.#aggregator?.mayUpgrade(request) ?? false,
    );
    const tracked: Listener = {
      ...listener,
      close: async () => {
        this.#listeners.delete(tracked);
        await listener.close();
      },
    };
    this.#listeners.add(tracked);
    return tracked;
  }

  /** Ends all watches, lets running requests finish, and stops listening. The store stays open: the caller owns it. */
  async close(): Promise<void> {
    this.#pipeline.drain();
    this.#aggregator?.close();
    this.flowControl.close();
    await this.#crds.idle();
    await this.#core.settled();
    this.#core.close();
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }

  #authenticate(credentials: Credentials): Promise<UserInfo> {
    return authenticate(this.#options.authenticators ?? [], this.#options.anonymous ?? false, credentials);
  }
}
