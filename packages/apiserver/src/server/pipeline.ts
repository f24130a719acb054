import { randomUUID } from 'node:crypto';
import { inSpan, type RequestSpan, type Tracer } from '@fairway/base/tracing';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { groupVersionOf, type RemoteApi } from '../aggregation/remote-api.ts';
import { auditIdOf, requestsDryRun } from '../audit/audit-event.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Access } from '../auth/access.ts';
import type { Authorizer, RequestAttributes, UserInfo } from '../auth/user.ts';
import type { CompiledSchema } from '../flow-control/compile-schemas.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import { seatsOfList } from '../flow-control/list-seats.ts';
import type { LeaveSeats } from '../flow-control/priority-level.ts';
import type { Definitions } from '../schema/schema.ts';
import { authorize } from './authorize.ts';
import type { Core } from './core.ts';
import { type Discovery, discoveryOf } from './discovery.ts';
import { dispatch, notServed, READING_VERBS } from './dispatch.ts';
import type { Health } from './health.ts';
import { impersonatedUser } from './impersonate.ts';
import { inProcessTransport } from './in-process-transport.ts';
import { openApiResponse } from './openapi.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, type ResourceRequest } from './request.ts';
import { checkOptions } from './request-options.ts';
import { type ClassifiedRequest, RequestSeats } from './request-seats.ts';
import { admitRequest, beginRequestSpan, endRequestSpan } from './request-span.ts';
import { requestTimeoutMs } from './request-timeout.ts';
import { isLongRunning, type ResourcePath, routeOf } from './router.ts';
import type { Routes } from './routes.ts';
import type { Release, Traffic } from './traffic.ts';
import { warningHeader } from './warning-header.ts';

export interface PipelineOptions {
  readonly core: Core;
  readonly authorizer: Authorizer | undefined;
  readonly access: Access | undefined;
  readonly version: object;
  /** Includes descriptions, for OpenAPI. */
  readonly documentation: () => Definitions;
  readonly health: Health;
  readonly routes: Routes;
  readonly traffic: Traffic;
  readonly flowControl: FlowControl;
  /** Records audit events; none by default. */
  readonly auditor: Auditor | undefined;
  /** Aggregated API servers. */
  readonly aggregator: Aggregator | undefined;
  /** Traces clients' requests; none by default. */
  readonly tracer: Tracer | undefined;
}

/** Smaller responses are not counted: they rarely stay unsent for longer than one read. */
const MIN_COUNTED_CHARS = 64 * 1024;

/** kube-apiserver's own user. */
const LOOPBACK: UserInfo = { username: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] };

/** The request pipeline: authentication, authorization, dispatch, and the response or an error Status. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #core: Core;
  readonly #version: string;
  readonly #seats: RequestSeats;
  #discovery: Discovery | undefined;
  #isDraining = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#version = JSON.stringify(options.version);
    this.#seats = new RequestSeats(options.traffic, options.flowControl);
    const forget = () => {
      this.#discovery = undefined;
    };
    options.core.registry.onChange(forget);
    options.aggregator?.onChange(forget);
  }

  /** Rejects new requests with 503 from now on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never rejects: errors become responses. */
  async response(request: ApiRequest, authenticate: () => Promise<UserInfo>): Promise<ApiResponse> {
    const { tracer } = this.#options;
    const auditId = auditIdOf(request.headers['audit-id'], randomUUID);
    // In-process callers already have a span for the request.
    const span = tracer && request.peer !== undefined ? beginRequestSpan(tracer, { ...request, auditId }) : undefined;
    if (span === undefined) return this.#respond(request, authenticate, { auditId });
    const response = await inSpan(span, () => this.#respond(request, authenticate, { auditId, span }));
    endRequestSpan(span, response.status);
    return response;
  }

  async #respond(
    request: ApiRequest,
    authenticate: () => Promise<UserInfo>,
    { auditId, span }: Pick<RequestState, 'auditId' | 'span'>,
  ): Promise<ApiResponse> {
    const { auditor } = this.#options;
    const trail = auditor?.begin({ ...request, auditId, peer: request.peer });
    const requestState: RequestState = { auditId, span, warnings: [], releases: [], trail };
    const release = () => {
      for (const one of requestState.releases.splice(0)) one();
    };
    let failure: ApiError | undefined;
    let response: ApiResponse;
    try {
      response = await this.#handle(request, authenticate, requestState);
    } catch (error) {
      release();
      failure = this.#apiErrorOf(request, error);
      response = statusResponse(failure);
    }
    if (trail?.wantsResponseBody) trail.recordResponse(response.body);
    if (trail) auditor?.end(trail, { status: response.status, failure });
    const headers: Record<string, string> = {
      'audit-id': auditId,
      'cache-control': 'no-cache, private',
      ...response.headers,
    };
    if (requestState.warnings.length > 0) headers['warning'] = warningHeader(requestState.warnings);
    if (requestState.schema?.uid !== undefined) headers['x-kubernetes-pf-flowschema-uid'] = requestState.schema.uid;
    if (requestState.schema?.level.uid !== undefined)
      headers['x-kubernetes-pf-prioritylevel-uid'] = requestState.schema.level.uid;
    return { ...response, headers, ...(requestState.releases.length > 0 && { release }) };
  }

  async #handle(
    request: ApiRequest,
    authenticate: () => Promise<UserInfo>,
    requestState: RequestState,
  ): Promise<ApiResponse> {
    if (this.#isDraining) throw new ApiError(503, 'ServiceUnavailable', 'the server is shutting down');
    const custom = this.#options.routes.find(request);
    if (custom?.public) {
      const response = await custom.handle(request, undefined);
      if (response.user) requestState.trail?.setUser(response.user);
      return response;
    }
    const user = await this.#userOf(request, authenticate, requestState);
    const route = routeOf(request.method, request.path, request.query);
    const isResource = route.kind === 'resource' && custom === undefined;
    const attributes: RequestAttributes = isResource
      ? { user, verb: route.verb, ...attributesOf(route.path, route.verb, request.query) }
      : { user, verb: request.method.toLowerCase(), path: request.path };
    const isLong = isLongRunning(route);
    // Streams other than watches take no seats; rejected requests also get the flow headers, like upstream.
    const schema = isLong && route.verb !== 'watch' ? undefined : this.#options.flowControl.classify(attributes);
    requestState.schema = schema;
    await authorize(this.#authorizer(requestState), attributes);
    const classifiedRequest = { request, attributes, schema, isLong };
    const remote = custom === undefined ? this.#remoteOf(request.path) : undefined;
    if (remote !== undefined) return this.#forward(classifiedRequest, remote, requestState);
    if (isResource) return this.#resource(classifiedRequest, route.path, route.verb, requestState);
    const entered = this.#seats.enter(classifiedRequest, 1);
    const release = entered instanceof Promise ? await entered : entered;
    if (request.peer !== undefined) await this.#options.traffic.nextTurn(user);
    try {
      const response = await (custom === undefined ? this.#handleNonResource(request) : custom.handle(request, user));
      return this.#held(response, user, requestState);
    } finally {
      release();
    }
  }

  /** The aggregated API server that serves a path. */
  #remoteOf(path: string): RemoteApi | undefined {
    const { aggregator } = this.#options;
    if (!aggregator?.hasApis) return undefined;
    const about = groupVersionOf(path);
    return about && aggregator.find(about.group, about.version);
  }

  async #forward(
    classifiedRequest: ClassifiedRequest,
    remote: RemoteApi,
    requestState: RequestState,
  ): Promise<ApiResponse> {
    const { aggregator, traffic } = this.#options;
    if (aggregator === undefined) throw notServed();
    const { request, isLong } = classifiedRequest;
    const { user } = classifiedRequest.attributes;
    if (isLong) requestState.releases.push(traffic.enter('watches', user));
    const entered = this.#seats.enter(classifiedRequest, 1);
    const release = entered instanceof Promise ? await entered : entered;
    try {
      const response = await aggregator.forward(remote, request, { user, auditId: requestState.auditId, isLong });
      // An upgraded connection lasts as long as its stream.
      if (isLong || response.upgraded !== undefined) release();
      else requestState.releases.push(release);
      return response;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #userOf(
    { headers }: ApiRequest,
    authenticate: () => Promise<UserInfo>,
    requestState: RequestState,
  ): Promise<UserInfo> {
    const user = await authenticate();
    requestState.trail?.setUser(user);
    if (requestState.span) admitRequest(requestState.span, user);
    const other = await impersonatedUser(headers, (claim) =>
      authorize(this.#authorizer(requestState), { user, verb: 'impersonate', ...claim }),
    );
    if (other) requestState.trail?.setImpersonatedUser(other);
    return other ?? user;
  }

  #authorizer({ trail }: RequestState): Authorizer | undefined {
    const { authorizer } = this.#options;
    return trail && authorizer ? trail.recordingAuthorizer(authorizer) : authorizer;
  }

  async #resource(
    classifiedRequest: ClassifiedRequest,
    path: ResourcePath,
    verb: string,
    requestState: RequestState,
  ): Promise<ApiResponse> {
    const { warnings, releases, trail } = requestState;
    const { request } = classifiedRequest;
    const { user } = classifiedRequest.attributes;
    const resource = this.#core.registry.find(path.group, path.version, path.plural);
    if (resource === undefined) return this.#notFoundAt(path);
    if (isMisplaced(verb, path)) throw methodNotAllowed();
    const needsNamespace = path.name !== '' || (verb === 'create' && resource.verbs.has('get'));
    if (resource.namespaced ? path.namespace === '' && needsNamespace : path.namespace !== '') throw notServed();
    checkOptions({ verb, query: request.query, headers: request.headers });
    const { traffic } = this.#options;
    const content = await request.readContent(user);
    trail?.recordRequest(content.body);
    const resourceRequest: ResourceRequest = {
      resource,
      verb,
      subresource: path.subresource,
      namespace: path.namespace,
      name: path.name,
      user,
      access: this.#options.access,
      query: request.query,
      ...content,
      dryRun: requestsDryRun(request.query),
      nowMs: this.#core.clock.now(),
      now: () => this.#core.clock.now(),
      loopback: () => inProcessTransport((inner) => this.response(inner, () => Promise.resolve(LOOPBACK))),
      nextTurn: request.peer === undefined ? undefined : () => traffic.nextTurn(user),
      holdResponse: (bytes) => void releases.push(traffic.enterResponse(user, bytes)),
      warn: (text) => warnings.push(text),
      named: (name) => trail?.setName(name),
      annotate: (key, value) => trail?.addAnnotation(key, value),
    };
    if (classifiedRequest.isLong) releases.push(traffic.enter('watches', user));
    const width = verb === 'list' || verb === 'watch' ? seatsOfList(this.#core.store, resourceRequest) : 1;
    const entered = this.#seats.enter(classifiedRequest, width);
    const release = entered instanceof Promise ? await entered : entered;
    // Bodies are read one at a time, but seats may become free for many requests at once. In-process callers are not
    // limited.
    const isFirst = content.body === '' || entered instanceof Promise;
    if (isFirst) await resourceRequest.nextTurn?.();
    if (!READING_VERBS.has(verb)) return this.#withTimeout(resourceRequest, release);
    try {
      // A watch holds its seats until it has started.
      const response = await dispatch(this.#core, resourceRequest);
      return verb === 'get' || resource.definition.listed ? this.#held(response, user, { releases }) : response;
    } finally {
      release();
    }
  }

  /** Counts a finished response as unsent until it is sent. */
  #held(response: ApiResponse, user: UserInfo, { releases }: Pick<RequestState, 'releases'>): ApiResponse {
    const { body } = response;
    const isLarge = (typeof body === 'string' || body instanceof Uint8Array) && body.length >= MIN_COUNTED_CHARS;
    if (isLarge) releases.push(this.#options.traffic.enterResponse(user, body.length));
    return response;
  }

  /**
   * Rejects with 504 on timeout. Work in progress continues and keeps its seats, so a client that gives up cannot get
   * additional seats.
   */
  #withTimeout(request: ResourceRequest, release: LeaveSeats): Promise<ApiResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
    const timer = this.#core.clock.after(requestTimeoutMs(request.query), () => {
      const message = `Timeout: request did not complete within requested timeout - context deadline exceeded`;
      reject(new ApiError(504, 'Timeout', message));
    });
    dispatch(this.#core, request)
      .then(resolve, reject)
      .finally(() => {
        timer.cancel();
        release();
      });
    return promise;
  }

  async #handleNonResource(request: ApiRequest): Promise<ApiResponse> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return PAGE_NOT_FOUND;
    if (request.path === '/version' || request.path === '/version/') return jsonResponse(200, this.#version);
    if (request.path === '/') return jsonResponse(200, { paths: this.#paths() });
    const response =
      this.#discover().handle(request) ??
      (await openApiResponse(this.#core.registry, this.#options.documentation, this.#options.aggregator, request)) ??
      (await this.#options.health.handle(request.path, request.query));
    return response ?? PAGE_NOT_FOUND;
  }

  #discover(): Discovery {
    this.#discovery ??= discoveryOf(this.#core.registry, this.#options.aggregator?.discovered);
    return this.#discovery;
  }

  /** A Status if the group version is served, otherwise the text of Go's router, like upstream. */
  #notFoundAt({ group, version }: ResourcePath): ApiResponse {
    const isServed = this.#discover().groupVersions.some((one) => one.group === group && one.version === version);
    if (isServed) throw notServed();
    return PAGE_NOT_FOUND;
  }

  #paths(): string[] {
    const groups = this.#discover().groupVersions.flatMap(({ group, version }) =>
      group === '' ? ['/api', `/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
    );
    const paths = new Set([
      ...groups,
      '/apis',
      '/healthz',
      '/livez',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
      ...this.#options.routes.paths,
    ]);
    return [...paths].sort();
  }

  #apiErrorOf({ method, path }: ApiRequest, error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    this.#core.log.error({ err: error, method, path }, 'request failed');
    const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
    return new ApiError(500, 'InternalError', message);
  }
}

/** State collected while a request is handled. */
interface RequestState {
  readonly auditId: string;
  /** Set if the request is traced. */
  readonly span?: RequestSpan | undefined;
  readonly warnings: string[];
  /** Released when the response is sent. */
  readonly releases: Release[];
  /** The request's flow; undefined for streams, and until it is known. */
  schema?: CompiledSchema | undefined;
  /** The audit trail; undefined without an auditor. */
  readonly trail: AuditTrail | undefined;
}

const COLLECTION_VERBS = ['list', 'watch', 'deletecollection'];

export function statusResponse(error: ApiError): ApiResponse {
  const response = jsonResponse(error.code, error.toStatus());
  if (error.retryAfterSeconds === undefined) return response;
  return { ...response, headers: { ...response.headers, 'retry-after': String(error.retryAfterSeconds) } };
}

function attributesOf(
  { group, version, plural, namespace, name, subresource }: ResourcePath,
  verb: string,
  query: URLSearchParams,
) {
  // Requests for a Namespace object count as requests in that namespace.
  const scope = group === '' && plural === 'namespaces' && name !== '' ? name : namespace;
  const selector = COLLECTION_VERBS.includes(verb) ? (query.get('fieldSelector') ?? '') : '';
  const selectedName = name === '' && selector !== '' ? /^metadata\.name==?([^,]+)$/.exec(selector)?.[1] : undefined;
  return {
    group,
    version,
    resource: plural,
    subresource,
    namespace: scope,
    name: selectedName ?? name,
    ...(selector !== '' && { fieldSelector: selector }),
  };
}

/** POST to a named object is not allowed, nor PUT or PATCH to a collection. */
function isMisplaced(verb: string, { name, subresource }: ResourcePath): boolean {
  if (verb === 'create') return name !== '' && subresource === '';
  return name === '' && (verb === 'update' || verb === 'patch');
}

function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', message, { subject: {} });
}

const PAGE_NOT_FOUND: ApiResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};
