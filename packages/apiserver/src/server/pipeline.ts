import { randomUUID } from 'node:crypto';
import { inSpan, type RequestSpan, type Tracer } from '@fairway/base/tracing';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { groupVersionOf, type RemoteApi } from '../aggregation/remote-api.ts';
import { asksForDryRun, auditIdOf } from '../audit/audit-event.ts';
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
import { openApiAnswer } from './openapi.ts';
import { type Answer, type ApiRequest, jsonAnswer, type ResourceRequest } from './request.ts';
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
  /** With descriptions, for OpenAPI. */
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

/** Smaller responses are not counted: they rarely wait longer than one read. */
const MIN_HELD_CHARS = 64 * 1024;

/** kube-apiserver's own user. */
const LOOPBACK: UserInfo = { username: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] };

/** The request pipeline: authentication, authorisation, dispatch, and the response or an error Status. */
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
  async answer(request: ApiRequest, authenticate: () => Promise<UserInfo>): Promise<Answer> {
    const { tracer } = this.#options;
    const auditId = auditIdOf(request.headers['audit-id'], randomUUID);
    // In-process callers already have a span of the request.
    const span = tracer && request.peer !== undefined ? beginRequestSpan(tracer, { ...request, auditId }) : undefined;
    if (span === undefined) return this.#respond(request, authenticate, { auditId });
    const answer = await inSpan(span, () => this.#respond(request, authenticate, { auditId, span }));
    endRequestSpan(span, answer.status);
    return answer;
  }

  async #respond(
    request: ApiRequest,
    authenticate: () => Promise<UserInfo>,
    { auditId, span }: Pick<Notes, 'auditId' | 'span'>,
  ): Promise<Answer> {
    const { auditor } = this.#options;
    const trail = auditor?.begin({ ...request, auditId, peer: request.peer });
    const notes: Notes = { auditId, span, warnings: [], held: [], trail };
    const release = () => {
      for (const one of notes.held.splice(0)) one();
    };
    let failure: ApiError | undefined;
    let answer: Answer;
    try {
      answer = await this.#answer(request, authenticate, notes);
    } catch (error) {
      release();
      failure = this.#apiErrorOf(request, error);
      answer = statusAnswer(failure);
    }
    if (trail?.wantsAnswer) trail.answered(answer.body);
    if (trail) auditor?.end(trail, { status: answer.status, failure });
    const headers: Record<string, string> = {
      'audit-id': auditId,
      'cache-control': 'no-cache, private',
      ...answer.headers,
    };
    if (notes.warnings.length > 0) headers['warning'] = warningHeader(notes.warnings);
    if (notes.schema?.uid !== undefined) headers['x-kubernetes-pf-flowschema-uid'] = notes.schema.uid;
    if (notes.schema?.level.uid !== undefined) headers['x-kubernetes-pf-prioritylevel-uid'] = notes.schema.level.uid;
    return { ...answer, headers, ...(notes.held.length > 0 && { release }) };
  }

  async #answer(request: ApiRequest, authenticate: () => Promise<UserInfo>, notes: Notes): Promise<Answer> {
    if (this.#isDraining) throw new ApiError(503, 'ServiceUnavailable', 'the server is shutting down');
    const custom = this.#options.routes.find(request);
    if (custom?.public) {
      const answer = await custom.handle(request, undefined);
      if (answer.user) notes.trail?.authenticated(answer.user);
      return answer;
    }
    const user = await this.#userOf(request, authenticate, notes);
    const route = routeOf(request.method, request.path, request.query);
    const isResource = route.kind === 'resource' && custom === undefined;
    const attributes: RequestAttributes = isResource
      ? { user, verb: route.verb, ...attributesOf(route.path, route.verb, request.query) }
      : { user, verb: request.method.toLowerCase(), path: request.path };
    const isLong = isLongRunning(route);
    // Streams other than watches take no seats; rejected requests also get the flow headers, as upstream.
    const schema = isLong && route.verb !== 'watch' ? undefined : this.#options.flowControl.classify(attributes);
    notes.schema = schema;
    await authorize(this.#authorizer(notes), attributes);
    const classified = { request, attributes, schema, isLong };
    const remote = custom === undefined ? this.#remoteOf(request.path) : undefined;
    if (remote !== undefined) return this.#forward(classified, remote, notes);
    if (isResource) return this.#resource(classified, route.path, route.verb, notes);
    const entered = this.#seats.enter(classified, 1);
    const leave = entered instanceof Promise ? await entered : entered;
    if (request.peer !== undefined) await this.#options.traffic.nextTurn(user);
    try {
      const answer = await (custom === undefined ? this.#other(request) : custom.handle(request, user));
      return this.#held(answer, user, notes);
    } finally {
      leave();
    }
  }

  /** The aggregated API server of a path. */
  #remoteOf(path: string): RemoteApi | undefined {
    const { aggregator } = this.#options;
    if (!aggregator?.hasApis) return undefined;
    const about = groupVersionOf(path);
    return about && aggregator.find(about.group, about.version);
  }

  async #forward(classified: ClassifiedRequest, remote: RemoteApi, notes: Notes): Promise<Answer> {
    const { aggregator, traffic } = this.#options;
    if (aggregator === undefined) throw notServed();
    const { request, isLong } = classified;
    const { user } = classified.attributes;
    if (isLong) notes.held.push(traffic.enter('watches', user));
    const entered = this.#seats.enter(classified, 1);
    const leave = entered instanceof Promise ? await entered : entered;
    try {
      const answer = await aggregator.forward(remote, request, { user, auditId: notes.auditId, isLong });
      // An upgraded connection lasts as long as its stream.
      if (isLong || answer.upgraded !== undefined) leave();
      else notes.held.push(leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #userOf({ headers }: ApiRequest, authenticate: () => Promise<UserInfo>, notes: Notes): Promise<UserInfo> {
    const user = await authenticate();
    notes.trail?.authenticated(user);
    if (notes.span) admitRequest(notes.span, user);
    const other = await impersonatedUser(headers, (claim) =>
      authorize(this.#authorizer(notes), { user, verb: 'impersonate', ...claim }),
    );
    if (other) notes.trail?.impersonates(other);
    return other ?? user;
  }

  #authorizer({ trail }: Notes): Authorizer | undefined {
    const { authorizer } = this.#options;
    return trail && authorizer ? trail.hearing(authorizer) : authorizer;
  }

  async #resource(classified: ClassifiedRequest, path: ResourcePath, verb: string, notes: Notes): Promise<Answer> {
    const { warnings, held, trail } = notes;
    const { request } = classified;
    const { user } = classified.attributes;
    const resource = this.#core.registry.find(path.group, path.version, path.plural);
    if (resource === undefined) return this.#nothingAt(path);
    if (isMisplaced(verb, path)) throw wrongMethod();
    const needsNamespace = path.name !== '' || (verb === 'create' && resource.verbs.has('get'));
    if (resource.namespaced ? path.namespace === '' && needsNamespace : path.namespace !== '') throw notServed();
    checkOptions({ verb, query: request.query, headers: request.headers });
    const { traffic } = this.#options;
    const content = await request.readContent(user);
    trail?.sent(content.body);
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
      dryRun: asksForDryRun(request.query),
      nowMs: this.#core.clock.now(),
      now: () => this.#core.clock.now(),
      loopback: () => inProcessTransport((inner) => this.answer(inner, () => Promise.resolve(LOOPBACK))),
      nextTurn: request.peer === undefined ? undefined : () => traffic.nextTurn(user),
      holdAnswer: (bytes) => void held.push(traffic.enterAnswer(user, bytes)),
      warn: (text) => warnings.push(text),
      named: (name) => trail?.named(name),
      annotate: (key, value) => trail?.annotated(key, value),
    };
    if (classified.isLong) held.push(traffic.enter('watches', user));
    const width = verb === 'list' || verb === 'watch' ? seatsOfList(this.#core.store, resourceRequest) : 1;
    const entered = this.#seats.enter(classified, width);
    const leave = entered instanceof Promise ? await entered : entered;
    // Bodies are read in turn, but seats may become free for many requests at the same time. In-process callers are not limited.
    const isFirst = content.body === '' || entered instanceof Promise;
    if (isFirst) await resourceRequest.nextTurn?.();
    if (!READING_VERBS.has(verb)) return this.#inTime(resourceRequest, leave);
    try {
      // A watch holds its seats until it has started.
      const answer = await dispatch(this.#core, resourceRequest);
      return verb === 'get' || resource.definition.listed ? this.#held(answer, user, { held }) : answer;
    } finally {
      leave();
    }
  }

  /** Counts a finished response until it is sent. */
  #held(answer: Answer, user: UserInfo, { held }: Pick<Notes, 'held'>): Answer {
    const { body } = answer;
    const isLarge = (typeof body === 'string' || body instanceof Uint8Array) && body.length >= MIN_HELD_CHARS;
    if (isLarge) held.push(this.#options.traffic.enterAnswer(user, body.length));
    return answer;
  }

  /** Rejects with 504 on timeout; work in progress continues and keeps its seats, so a client that gives up gets no others. */
  #inTime(request: ResourceRequest, leave: LeaveSeats): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = this.#core.clock.after(requestTimeoutMs(request.query), () => {
      const message = `Timeout: request did not complete within requested timeout - context deadline exceeded`;
      reject(new ApiError(504, 'Timeout', message));
    });
    dispatch(this.#core, request)
      .then(resolve, reject)
      .finally(() => {
        timer.cancel();
        leave();
      });
    return promise;
  }

  async #other(request: ApiRequest): Promise<Answer> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return PAGE_NOT_FOUND;
    if (request.path === '/version' || request.path === '/version/') return jsonAnswer(200, this.#version);
    if (request.path === '/') return jsonAnswer(200, { paths: this.#paths() });
    const answer =
      this.#discover().answer(request) ??
      (await openApiAnswer(this.#core.registry, this.#options.documentation, this.#options.aggregator, request)) ??
      (await this.#options.health.answer(request.path, request.query));
    return answer ?? PAGE_NOT_FOUND;
  }

  #discover(): Discovery {
    this.#discovery ??= discoveryOf(this.#core.registry, this.#options.aggregator?.discovered);
    return this.#discovery;
  }

  /** A Status if the group version is served, otherwise the text of Go's router, as upstream. */
  #nothingAt({ group, version }: ResourcePath): Answer {
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
interface Notes {
  readonly auditId: string;
  /** Set if the request is traced. */
  readonly span?: RequestSpan | undefined;
  readonly warnings: string[];
  /** Released when the response is sent. */
  readonly held: Release[];
  /** Its flow; undefined for streams, and until it is known. */
  schema?: CompiledSchema | undefined;
  /** The audit trail; undefined without an auditor. */
  readonly trail: AuditTrail | undefined;
}

const COLLECTION_VERBS = ['list', 'watch', 'deletecollection'];

export function statusAnswer(error: ApiError): Answer {
  const answer = jsonAnswer(error.code, error.toStatus());
  if (error.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(error.retryAfterSeconds) } };
}

function attributesOf(
  { group, version, plural, namespace, name, subresource }: ResourcePath,
  verb: string,
  query: URLSearchParams,
) {
  // Requests for a Namespace object count as in that namespace.
  const scope = group === '' && plural === 'namespaces' && name !== '' ? name : namespace;
  const selector = COLLECTION_VERBS.includes(verb) ? (query.get('fieldSelector') ?? '') : '';
  const selected = name === '' && selector !== '' ? /^metadata\.name==?([^,]+)$/.exec(selector)?.[1] : undefined;
  return {
    group,
    version,
    resource: plural,
    subresource,
    namespace: scope,
    name: selected ?? name,
    ...(selector !== '' && { fieldSelector: selector }),
  };
}

/** POST to a named object and PUT or PATCH to a collection are not allowed. */
function isMisplaced(verb: string, { name, subresource }: ResourcePath): boolean {
  if (verb === 'create') return name !== '' && subresource === '';
  return name === '' && (verb === 'update' || verb === 'patch');
}

function wrongMethod(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', message, { subject: {} });
}

const PAGE_NOT_FOUND: Answer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};
