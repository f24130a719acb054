import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { auditIdOf } from '@fairway/apiserver/audit/audit-event';
import type { AuditTrail } from '@fairway/apiserver/audit/audit-trail';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import type { Authenticator, Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { GROUP_MASTERS } from '@fairway/apiserver/auth/well-known-users';
import { authenticate } from '@fairway/apiserver/server/authenticate';
import { authorize } from '@fairway/apiserver/server/authorize';
import { identifyConnection } from '@fairway/apiserver/server/connections';
import { endWithCredentials } from '@fairway/apiserver/server/credential-expiry';
import { onExchangeEnd } from '@fairway/apiserver/server/exchange-end';
import type { Health } from '@fairway/apiserver/server/health';
import { credentialsOf, headersOf, send, serveHttp } from '@fairway/apiserver/server/http-exchange';
import { impersonatedUser } from '@fairway/apiserver/server/impersonate';
import { statusResponse } from '@fairway/apiserver/server/pipeline';
import { readableResponse } from '@fairway/apiserver/server/readable-response';
import { type ApiRequest, type ApiResponse, staysOpen } from '@fairway/apiserver/server/request';
import { readBody } from '@fairway/apiserver/server/request-body';
import { admitRequest, beginRequestSpan, endRequestSpan } from '@fairway/apiserver/server/request-span';
import type { Routes } from '@fairway/apiserver/server/routes';
import { type ReadSession, withSession } from '@fairway/apiserver/server/session-reader';
import { splitTarget } from '@fairway/apiserver/server/split-target';
import type { Traffic } from '@fairway/apiserver/server/traffic';
import type { LimitedResource } from '@fairway/apiserver/server/traffic-metrics';
import type { Logger } from '@fairway/base/log';
import { inSpan, type RequestSpan, type Tracer } from '@fairway/base/tracing';
import { TransportError, type TransportResponse } from '@fairway/kube/client/transport';
import { ApiError, methodNotAllowed } from '@fairway/kube/object/api-error';
import type { GatewaySubresource } from '../requests/gateway-subresources.ts';
import { servicePath } from '../webhook/webhook-configuration.ts';
import { type AnnounceWrite, announceWrite, type TracedWrite } from './announced-write.ts';
import { auditResponse, createsByName, type FailureStatus } from './audit-response.ts';
import { discoveryResponse } from './discovery-response.ts';
import { Forwarding, forwardedHeaders } from './forward.ts';
import type { Destination, GatewayMetrics } from './gateway-metrics.ts';
import { impersonationHeaders } from './impersonation.ts';
import { validatedMethod } from './request-message.ts';
import { type RequestRouting, routeRequest } from './request-routing.ts';
import { parseRequestTarget, type RequestTarget } from './request-target.ts';
import { type Upstream, unreachableError } from './upstream.ts';
import { recordWrittenVersion } from './written-version.ts';

export interface ManagementFrontEndOptions {
  readonly upstream: Upstream;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly health: Health;
  /** Fairway's own paths in addition to the Kubernetes API: metrics. */
  readonly routes: Routes;
  /** Browsers' sessions. */
  readonly readSession?: ReadSession | undefined;
  readonly respondToRequest: (
    routing: Extract<RequestRouting, { to: GatewaySubresource | 'auditevents' }>,
    request: ApiRequest,
    user: UserInfo,
    authorizer: Authorizer,
  ) => Promise<ApiResponse>;
  readonly respondToReview: (body: string) => Promise<ApiResponse>;
  /** Secret part of the webhook's path, known to kube-apiserver only. */
  readonly webhookKey: () => string;
  /** Open requests and connections across all listeners. */
  readonly traffic: Traffic;
  readonly metrics: GatewayMetrics;
  readonly auditor: Auditor;
  /** Records clients' requests; none by default. */
  readonly tracer?: Tracer | undefined;
  /** Called and awaited before a recorded write is forwarded: the controllers that act on it may be in another process. */
  readonly announceWrite?: AnnounceWrite | undefined;
  readonly log: Logger;
}

const WEBHOOK_PREFIX = '/admission/';

/** URL that kube-apiserver sends reviews to. */
export function webhookPath(webhookKey: string): string {
  return `${WEBHOOK_PREFIX}${webhookKey}`;
}

/**
 * Handles every request in front of a management cluster: authenticates it, routes it, and sends the response, or a
 * Status with the error.
 */
export class ManagementFrontEnd {
  readonly #options: ManagementFrontEndOptions;
  readonly #forwarding: Forwarding;
  #isDraining = false;

  constructor(options: ManagementFrontEndOptions) {
    this.#options = options;
    this.#forwarding = new Forwarding(options.upstream, options.metrics, options.traffic.clock);
    // Tells load balancers to send no more requests.
    options.health.add('shutdown', () => this.#refuseWhileDraining(), { readyOnly: true });
  }

  /** Handles one request of a node:https server. */
  handler(request: IncomingMessage, response: ServerResponse): void {
    const { auditor, metrics, tracer, traffic } = this.#options;
    const auditId = auditIdOf(request.headersDistinct['audit-id']?.[0], randomUUID);
    const receivedRequest = auditedRequest(request, auditId);
    const span = tracer && beginRequestSpan(tracer, receivedRequest);
    const way: RequestState = { auditId, trail: auditor.begin(receivedRequest), span, destination: 'unknown' };
    onExchangeEnd(response, () => {
      const status = response.headersSent ? response.statusCode : undefined;
      metrics.recordResponse(way.destination, status ?? 0);
      if (way.destination === 'api-server')
        traffic.recordResponse(receivedRequest.method, status ?? 499, way.durationMs);
      if (span) endRequestSpan(span, status);
      // The path of reviews contains a secret.
      if (way.destination !== 'review') auditor.end(way.trail, { status, failure: way.failure });
    });
    const serving = span
      ? inSpan(span, () => this.#serve(request, response, way))
      : this.#serve(request, response, way);
    void serving.catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      // The remaining body of a rejected request is not read.
      if (!request.complete) response.shouldKeepAlive = false;
      void send(request, response, this.#refusal(request, error, way), traffic);
    });
  }

  /** Rejects new requests with 503 and ends watches, so that clients reconnect to other replicas. */
  drain(): void {
    this.#isDraining = true;
    this.#forwarding.endWatches();
  }

  /**
   * Opens a watch on behalf of a token's user, for the caller to forward. The watch is counted and audited as the
   * user's own. Rejects with an ApiError.
   */
  async openWatch(
    { bearerToken, peer }: { readonly bearerToken: string; readonly peer: string },
    path: string,
    signal: AbortSignal,
  ): Promise<TransportResponse> {
    const { auditor, authenticators, traffic } = this.#options;
    const target = parseRequestTarget(path);
    const auditId = randomUUID();
    const trail = auditor.begin({ auditId, method: 'GET', ...target, headers: {}, peer });
    let status: number | undefined;
    let failure: ApiError | undefined;
    const releases: (() => void)[] = [() => auditor.end(trail, { status, failure })];
    const release = () => {
      for (const each of releases.splice(0)) each();
    };
    try {
      this.#refuseWhileDraining();
      const user = await authenticate(authenticators, false, { bearerToken, peer });
      trail.setUser(user);
      const routing = routeRequest('GET', target);
      if (routing.to !== 'api-server' || !routing.isWatch) throw new ApiError(403, 'Forbidden', 'forbidden: no watch');
      releases.push(traffic.enter('watches', user));
      const headers = forwardedHeaders({}, { user: impersonationHeaders(user), peer, auditId });
      const reply = await this.#forwarding.openWatch({ path, headers, signal });
      status = reply.statusCode ?? 502;
      return readableResponse(status, {}, reply, release);
    } catch (error) {
      failure = apiErrorOf(error, 'GET');
      release();
      throw failure;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, way: RequestState): Promise<void> {
    const { auditId, trail } = way;
    const method = validatedMethod(request);
    const target = parseRequestTarget(request.url ?? '/');
    const { traffic } = this.#options;
    const reply = (handle: (apiRequest: ApiRequest) => Promise<ApiResponse>) =>
      serveHttp(request, response, traffic, (apiRequest) => this.#reply(request, way, () => handle(apiRequest)));
    const health = await this.#options.health.handle(target.path, target.query);
    if (health) {
      way.destination = 'route';
      return reply(() => Promise.resolve(health));
    }
    this.#refuseWhileDraining();
    if (this.#isReview(target)) {
      way.destination = 'review';
      identifyConnection(request.socket, response, MANAGEMENT_API_SERVER);
      return reply((apiRequest) => this.#review(apiRequest));
    }

    const route = this.#options.routes.find({ method, path: target.path, headers: headersOf(request) });
    if (route?.public) {
      way.destination = 'route';
      return reply(async (apiRequest) => {
        const routeResponse = await route.handle(apiRequest, undefined);
        if (routeResponse.user) trail.setUser(routeResponse.user);
        if (staysOpen(routeResponse)) await this.#endWithCredentials(request, response);
        return routeResponse;
      });
    }
    const user = await this.#callerOf(request, response, way);
    const authorizer = trail.recordingAuthorizer(this.#options.authorizer);
    if (route) {
      way.destination = 'route';
      this.#acquireSlot(response, 'readingRequests', user);
      await authorize(authorizer, { user, verb: method.toLowerCase(), path: target.path });
      return reply(async (apiRequest) => route.handle(apiRequest, user));
    }
    const routing = routeRequest(method, target);
    way.destination = routing.to;
    switch (routing.to) {
      case 'nowhere':
        trail.recordDecision({ allowed: false, reason: routing.reason });
        throw new ApiError(403, 'Forbidden', `forbidden: ${routing.reason}`);
      case 'discovery':
        this.#acquireSlot(response, 'readingRequests', user);
        return reply((apiRequest) => discoveryResponse(this.#options.upstream, apiRequest, impersonationHeaders(user)));
      case 'auditevents':
      case 'audit':
        this.#acquireSlot(response, 'readingRequests', user);
        return reply((apiRequest) => this.#options.respondToRequest(routing, apiRequest, user, authorizer));
      case 'kubeconfig':
      case 'upgradeplan':
      case 'cloudresources':
      case 'quotas':
        this.#acquireSlot(response, 'mutatingRequests', user);
        return reply(async (apiRequest) => {
          const routeResponse = await this.#options.respondToRequest(
            routing,
            withAuditedBody(apiRequest, trail),
            user,
            authorizer,
          );
          if (trail.wantsResponseBody) trail.recordResponse(routeResponse.body);
          return routeResponse;
        });
      case 'api-server': {
        // The body is buffered completely before the request reaches the API server: a slow body would occupy a slot at
        // the API server and one at the gateway.
        const { bytes: body, release } = await readBody(request, user, traffic);
        onExchangeEnd(response, release);
        trail.recordRequest(body);
        const isReadOnly = method === 'GET' || method === 'HEAD';
        const limitName = routing.isWatch ? 'watches' : isReadOnly ? 'readingRequests' : 'mutatingRequests';
        this.#acquireSlot(response, limitName, user);
        const peer = request.socket.remoteAddress ?? '';
        const headers = forwardedHeaders(request.headers, { user: impersonationHeaders(user), peer, auditId });
        const tracedWrite = isReadOnly ? undefined : way.span;
        if (way.span) headers['traceparent'] = way.span.traceparent;
        // The gateway could not parse a compressed response.
        if (createsByName(trail) || trail.wantsResponseBody || tracedWrite) delete headers['accept-encoding'];
        if (routing.isWatch) await this.#endWithCredentials(request, response);
        if (tracedWrite) await this.#announce({ trail, query: target.query, body, user, cause: tracedWrite });
        const startedMs = traffic.clock.now();
        const onResponse = (incoming: IncomingMessage) => {
          if (!routing.isWatch) way.durationMs = traffic.clock.now() - startedMs;
          if (tracedWrite) recordWrittenVersion(incoming, tracedWrite);
          auditResponse(incoming, trail, (failure) => {
            way.failure = failure;
          });
        };
        return this.#forwarding.forward(request, response, {
          method,
          headers,
          body,
          isWatch: routing.isWatch,
          onResponse,
        });
      }
    }
  }

  /** Uses an authorizer that does not write to the audit log: the API server authorizes the request itself. */
  async #announce(write: TracedWrite): Promise<void> {
    const { announceWrite: announce, authorizer } = this.#options;
    if (announce) await announceWrite(announce, authorizer, write);
  }

  /** Acquires a slot until the response is sent; throws 429 if the user has too many requests in progress. */
  #acquireSlot(response: ServerResponse, limitName: LimitedResource, user: UserInfo): void {
    onExchangeEnd(response, this.#options.traffic.enter(limitName, user));
  }

  #refuseWhileDraining(): void {
    if (this.#isDraining) {
      throw new ApiError(503, 'ServiceUnavailable', 'the gateway is shutting down', { retryAfterSeconds: 1 });
    }
  }

  async #callerOf(
    request: IncomingMessage,
    response: ServerResponse,
    { trail, span }: RequestState,
  ): Promise<UserInfo> {
    const { authenticators, authorizer, traffic, readSession } = this.#options;
    const credentials = await withSession(credentialsOf(request), headersOf(request), readSession);
    const user = await authenticate(authenticators, false, credentials);
    trail.setUser(user);
    if (span) admitRequest(span, user);
    identifyConnection(request.socket, response, user);
    if (!Object.keys(request.headers).some((name) => name.startsWith('impersonate-'))) return user;
    // Every impersonation check is a request to the API server, so it uses one of the authenticated user's slots.
    const release = traffic.enter('readingRequests', user);
    try {
      const other = await impersonatedUser(headersOf(request), (claim) =>
        authorize(trail.recordingAuthorizer(authorizer), { user, verb: 'impersonate', ...claim }),
      );
      if (other) trail.setImpersonatedUser(other);
      return other ?? user;
    } finally {
      release();
    }
  }

  /** A long-running request ends no later than the token that authenticated it. */
  async #endWithCredentials(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authenticators, readSession } = this.#options;
    const credentials = await withSession(credentialsOf(request), headersOf(request), readSession);
    endWithCredentials(response, authenticators, credentials);
  }

  #isReview({ path }: RequestTarget): boolean {
    if (!path.startsWith(WEBHOOK_PREFIX)) return false;
    const digest = (text: string) => createHash('sha256').update(text).digest();
    const urlPath = webhookPath(this.#options.webhookKey());
    const matchesUrl = timingSafeEqual(digest(path), digest(urlPath));
    const matchesService = timingSafeEqual(digest(path), digest(servicePath(urlPath)));
    return matchesUrl || matchesService;
  }

  async #review({ method, readContent }: ApiRequest): Promise<ApiResponse> {
    if (method !== 'POST') throw methodNotAllowed({ resource: 'admissionreviews' }, method);
    const { body } = await readContent(MANAGEMENT_API_SERVER);
    return this.#options.respondToReview(body);
  }

  async #reply(request: IncomingMessage, way: RequestState, handle: () => Promise<ApiResponse>): Promise<ApiResponse> {
    try {
      const reply = await handle();
      return { ...reply, headers: { ...GATEWAY_HEADERS, 'audit-id': way.auditId, ...reply.headers } };
    } catch (error) {
      return this.#refusal(request, error, way);
    }
  }

  #refusal({ method, url }: IncomingMessage, error: unknown, way: RequestState): ApiResponse {
    const failure = apiErrorOf(error, method ?? 'GET');
    way.failure = failure;
    const reply = statusResponse(failure);
    if (reply.status === 500) this.#options.log.error({ err: error, method, url }, 'request failed');
    return { ...reply, headers: { ...GATEWAY_HEADERS, 'audit-id': way.auditId, ...reply.headers } };
  }
}

/**
 * The sender of reviews, identified by the webhook's path. Reviews are exempt from limits, because they must not queue
 * behind tenants' requests.
 */
const MANAGEMENT_API_SERVER: UserInfo = { username: 'system:apiserver', groups: [GROUP_MASTERS] };

/** State of one request. */
interface RequestState {
  readonly auditId: string;
  readonly trail: AuditTrail;
  /** Undefined if the request is not recorded. */
  readonly span: RequestSpan | undefined;
  destination: Destination;
  /** Set until the API server's response has begun, unless the response is a stream. */
  durationMs?: number;
  failure?: ApiError | FailureStatus;
}

/** A request as received, even if it is malformed. */
function auditedRequest({ method = '', url = '/', headers, socket }: IncomingMessage, auditId: string) {
  return {
    auditId,
    method,
    ...splitTarget(url),
    headers,
    peer: socket.remoteAddress ?? '',
  };
}

/** The same request; its body is recorded in the audit trail. */
function withAuditedBody(request: ApiRequest, trail: AuditTrail): ApiRequest {
  return {
    ...request,
    readContent: async (user, maxBytes) => {
      const content = await request.readContent(user, maxBytes);
      trail.recordRequest(content.body);
      return content;
    },
  };
}

const GATEWAY_HEADERS = { 'cache-control': 'no-cache, private' };

function apiErrorOf(error: unknown, method: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TransportError) return unreachableError(method, error.cause ?? error);
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return new ApiError(500, 'InternalError', message, { cause: error });
}
