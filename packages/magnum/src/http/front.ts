import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { identifyConnection } from '@fairway/apiserver/server/connections';
import { onExchangeEnd } from '@fairway/apiserver/server/exchange-end';
import { serveHttp } from '@fairway/apiserver/server/http-exchange';
import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import type { Traffic } from '@fairway/apiserver/server/traffic';
import type { Caller } from '../caller.ts';
import type { MagnumServices } from '../services.ts';
import { magnumErrorOf, warningInMagnumsWords } from './api-errors.ts';
import type { Route } from './call.ts';
import { errorBody, MagnumError } from './magnum-error.ts';
import { MIN_MINOR, negotiate, unsupportedVersionBody, versionHeaders, versionText } from './microversion.ts';
import { Routing, segmentsOf } from './routing.ts';
import { rootDocument, versionDocument } from './versions.ts';

export interface FrontOptions {
  readonly services: MagnumServices;
  readonly routes: readonly Route[];
  readonly traffic: Traffic;
  /** Public URL of the API. */
  readonly url: () => string;
}

/** Larger than any valid request to this API. */
const MAX_BODY_CHARS = 256 * 1024;

/** Handles every request to Magnum's API: version, authentication, routing, and the response or Magnum's error. */
export class MagnumFront {
  readonly #options: FrontOptions;
  readonly #routing: Routing;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#routing = new Routing(options.routes);
  }

  /** Handles one request to a node:https server. */
  handler(request: IncomingMessage, response: ServerResponse): void {
    const requestId = `req-${randomUUID()}`;
    void serveHttp(request, response, this.#options.traffic, (apiRequest) => {
      const identify = async (token: string) => {
        const caller = await this.#options.services.identify(token, request.socket.remoteAddress ?? '');
        if (caller) {
          identifyConnection(request.socket, response, caller.user);
          const requestClass = request.method === 'GET' ? 'readingRequests' : 'mutatingRequests';
          onExchangeEnd(response, this.#options.traffic.enter(requestClass, caller.user));
          // This API's own requests to Fairway's API stay within the process and do not wait for a turn, so the request
          // waits for one here.
          await this.#options.traffic.nextTurn(caller.user);
        }
        return caller;
      };
      return this.respond(apiRequest, requestId, identify);
    });
  }

  /** Responds to a request; never rejects. */
  async respond(
    request: ApiRequest,
    requestId: string,
    identify: (token: string) => Promise<Caller | undefined>,
  ): Promise<ApiResponse> {
    const headers = { 'content-type': 'application/json', 'x-openstack-request-id': requestId };
    const path = segmentsOf(request.path);
    const isVersioned = path?.[0] === 'v1';
    const withCallerNamespace = isVersioned
      ? negotiate(request.headers['openstack-api-version'])
      : { minor: MIN_MINOR };
    if ('problem' in withCallerNamespace) {
      const body = JSON.stringify(unsupportedVersionBody(withCallerNamespace.problem, requestId));
      return { status: 406, headers: { ...headers, ...versionHeaders(MIN_MINOR) }, body };
    }
    const { minor } = withCallerNamespace;
    const responseHeaders = { ...headers, ...(isVersioned && versionHeaders(minor)) };
    const attemptedAction = { action: '' };
    try {
      const { status, body } = await this.#route(request, path, minor, { identify, attemptedAction, requestId });
      return { status, headers: responseHeaders, body: body === undefined ? '' : JSON.stringify(body) };
    } catch (error) {
      const refusal = magnumErrorOf(error, attemptedAction.action);
      if (refusal.status === 500) {
        this.#options.services.log.error(
          { err: refusal.cause ?? refusal, requestId, action: attemptedAction.action },
          'a request to the Magnum API failed',
        );
      }
      const { status, retryAfterSeconds } = refusal;
      return {
        status,
        headers: {
          ...responseHeaders,
          ...(status === 401 && { 'www-authenticate': 'Keystone' }),
          ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
        },
        body: JSON.stringify(errorBody(refusal, requestId)),
      };
    }
  }

  async #route(
    request: ApiRequest,
    path: readonly string[] | undefined,
    minor: number,
    {
      identify,
      attemptedAction,
      requestId,
    }: {
      readonly identify: (token: string) => Promise<Caller | undefined>;
      readonly attemptedAction: { action: string };
      readonly requestId: string;
    },
  ): Promise<{ readonly status: number; readonly body?: unknown }> {
    const { services, url } = this.#options;
    const { method } = request;
    if (path === undefined) throw notFound();
    const [first = '', ...rest] = path;
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && path.length === 1 && first === '') return { status: 200, body: rootDocument(url()) };
    if (isRead && path.length === 1 && first === 'healthcheck')
      return { status: 200, body: { detailed: false, reasons: [] } };
    if (isRead && path.length === 1 && first === 'v1') return { status: 200, body: versionDocument(url()) };
    const token = request.headers['x-auth-token'] ?? '';
    const caller = token === '' ? undefined : await identify(token);
    if (caller === undefined) throw new MagnumError(401, 'The request you have made requires authentication.');
    const match = first === 'v1' ? this.#routing.find(method, rest) : undefined;
    if (match === undefined) throw notFound();
    if ('methods' in match)
      throw new MagnumError(405, `Method Not Allowed: allowed methods are ${match.methods.join(', ')}`);
    const { route, params } = match;
    attemptedAction.action = route.action;
    if (route.since !== undefined && minor < route.since) {
      throw new MagnumError(
        406,
        `Version ${versionText(minor)} was requested but the requested API ${route.action} is not supported for this version: it needs ${versionText(route.since)}.`,
      );
    }
    const body =
      method === 'GET' || method === 'DELETE' ? '' : Buffer.from(await request.readBytes(caller.user)).toString();
    if (body.length > MAX_BODY_CHARS)
      throw new MagnumError(413, `the body has ${body.length} characters; the limit is ${MAX_BODY_CHARS}`);
    const warnings = new Set<string>();
    return route.handle({
      caller,
      requestId,
      client: services.clientOf(caller.user, { token, peer: request.peer ?? '' }, (text) => {
        const warning = warningInMagnumsWords(text);
        if (warning !== undefined) warnings.add(warning);
      }),
      warnings,
      services: withKnownNamespace(caller, services),
      minor,
      params,
      query: request.query,
      body,
      token,
      url: url(),
      clock: services.clock,
    });
  }
}

/** A namespace that this request created may not be in caches yet. */
function withKnownNamespace({ project, namespace }: Caller, services: MagnumServices): MagnumServices {
  return {
    ...services,
    projectOfNamespace: (name) => (name === namespace ? project.id : services.projectOfNamespace(name)),
    namespaceOfProject: (id) => (id === project.id ? namespace : services.namespaceOfProject(id)),
  };
}

function notFound(): MagnumError {
  return new MagnumError(404, 'The resource could not be found.');
}
