import type { Authenticator, Authorizer, UserInfo } from '../auth/user.ts';
import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock.ts';
import { type Logger, silentLogger } from '../log.ts';
import { ApiError, badRequest, methodNotAllowed } from '../object/api-error.ts';
import type { Definitions } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import { authorize } from './authorize.ts';
import { Core } from './core.ts';
import { dispatch } from './dispatch.ts';
import { inProcessTransport } from './in-process-transport.ts';
import type { ObjectReader } from './object-reader.ts';
import { readerOf } from './reader.ts';
import { Registry } from './registry.ts';
import { type Answer, type ApiRequest, jsonAnswer, type ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { type ResourcePath, routeOf } from './router.ts';

/** What `/version` says. */
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
  /** Servers made from the same array share everything that follows from it. */
  readonly resources: readonly ResourceDefinition[];
  /** What the resources' schemas refer to. */
  readonly definitions?: Definitions;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly version: VersionInfo;
  readonly authenticators?: readonly Authenticator[];
  /** Lets requests without credentials in as `system:anonymous`; off unless set. */
  readonly anonymous?: boolean;
  /** Without one everything is allowed. */
  readonly authorizer?: Authorizer;
  readonly admission?: readonly AdmissionPlugin[];
  readonly random?: () => number;
  /** How many changes a watch can look back on; 4096 unless said otherwise. */
  readonly watchCacheSize?: number;
}

/** An embedded Kubernetes API server. See docs/decisions/0003-embedded-api-server.md. */
export class ApiServer {
  readonly reader: ObjectReader;
  readonly #options: ApiServerOptions;
  readonly #registry: Registry;
  readonly #core: Core;
  readonly #log: Logger;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    this.#registry = new Registry(options.resources);
    this.#core = new Core({
      store: options.store,
      registry: this.#registry,
      clock: options.clock,
      random: options.random ?? Math.random,
      log: this.#log,
      admission: options.admission ?? [],
      watchCacheSize: options.watchCacheSize ?? 4096,
    });
    this.reader = readerOf(this.#core);
  }

  register(definition: ResourceDefinition): void {
    this.#registry.register(definition);
  }

  /** Stops serving a resource in all its versions and ends its watches. Its objects stay in the store. */
  unregister(group: string, plural: string): void {
    this.#registry.unregister(group, plural);
    this.#core.watchers.finish(group === '' ? plural : `${plural}.${group}`);
  }

  /** Requests in this process as `user`, through everything that follows authentication. */
  transport(user: UserInfo): Transport {
    return inProcessTransport((request) => this.#answer(request, user));
  }

  /** Ends all watches. The store is its owner's to close. */
  async close(): Promise<void> {
    await this.#core.settled();
    this.#core.close();
  }

  async #answer(request: ApiRequest, user: UserInfo): Promise<Answer> {
    const warnings: string[] = [];
    try {
      const answer = await this.#route(request, user, warnings);
      return warnings.length === 0 ? answer : withWarnings(answer, warnings);
    } catch (error) {
      return this.#errorAnswer(request, error);
    }
  }

  async #route(request: ApiRequest, user: UserInfo, warnings: string[]): Promise<Answer> {
    const route = routeOf(request.method, request.path, request.query);
    const { authorizer } = this.#options;
    if (route.kind === 'other') {
      await authorize(authorizer, { user, verb: route.verb, path: route.path });
      throw notServed();
    }
    const { path, verb } = route;
    await authorize(authorizer, { user, verb, ...attributesOf(path) });
    const resource = this.#registry.find(path.group, path.version, path.plural);
    if (resource === undefined) throw notServed();
    if (resource.namespaced && path.namespace === '' && path.name !== '') throw notServed();
    if (!resource.namespaced && path.namespace !== '') throw notServed();
    if (!resource.verbs.has(verb)) throw methodNotAllowed(resource.subject(), verb);
    const resourceRequest: ResourceRequest = {
      resource,
      verb,
      subresource: path.subresource,
      namespace: path.namespace,
      name: path.name,
      user,
      query: request.query,
      headers: request.headers,
      body: request.body,
      dryRun: isDryRun(request.query),
      nowMs: this.#core.clock.now(),
      signal: request.signal,
      warn: (text) => warnings.push(text),
    };
    return dispatch(this.#core, resourceRequest);
  }

  #errorAnswer({ method, path }: ApiRequest, error: unknown): Answer {
    if (error instanceof ApiError) return statusAnswer(error);
    this.#log.error({ err: error, method, path }, 'request failed');
    const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
    return statusAnswer(new ApiError(500, 'InternalError', message));
  }
}

function statusAnswer(error: ApiError): Answer {
  const answer = jsonAnswer(error.code, error.toStatus());
  if (error.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(error.retryAfterSeconds) } };
}

function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  const warning = [...new Set(warnings)].map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return { ...answer, headers: { ...answer.headers, warning } };
}

function notServed(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', { subject: {} });
}

function attributesOf({ group, version, plural, namespace, name, subresource }: ResourcePath) {
  // A namespace is itself the namespace of requests for it.
  const scope = group === '' && plural === 'namespaces' && name !== '' ? name : namespace;
  return { group, version, resource: plural, subresource, namespace: scope, name };
}

function isDryRun(query: URLSearchParams): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '');
  const unknown = values.find((value) => value !== 'All');
  if (unknown !== undefined)
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(unknown)}: supported values: "All"`);
  return values.length > 0;
}
