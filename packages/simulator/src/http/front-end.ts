import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Access, ANONYMOUS } from '../identity/access.ts';
import { renderIdentityProblem, unauthorized } from '../identity/problem.ts';
import { accessOf, decodeToken } from '../identity/token.ts';
import type { World } from '../world.ts';
import { ApiError, type ApiRequest, type ApiResponse, type Problem, type Service } from './api.ts';
import type { Calls } from './calls.ts';
import type { CallFault } from './faults.ts';
import { operationDuration, pickDurationMs } from './latency.ts';
import { type Match, Router } from './router.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A request to the cloud, independent of the transport. */
export interface FrontEndRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: URL;
  /** Header names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  readBody(): Promise<Buffer | 'tooLarge'>;
  /** Whether the client has disconnected. */
  isDisconnected(): boolean;
}

export interface FrontEndResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface Mount {
  readonly service: Service;
  readonly router: Router;
}

/**
 * One HTTP front end for all services. It matches the route, authenticates the caller, applies faults, and responds.
 */
export class FrontEnd {
  readonly #world: World;
  readonly #calls: Calls;
  readonly #mounts: readonly Mount[];

  constructor(world: World, calls: Calls, services: readonly Service[]) {
    this.#world = world;
    this.#calls = calls;
    this.#mounts = services.map((service) => ({ service, router: new Router(service.routes) }));
  }

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { socket, headers } = incoming;
    const origin = `${'encrypted' in socket ? 'https' : 'http'}://${headers.host ?? 'localhost'}`;
    const response = await this.handleRequest({
      method: incoming.method ?? 'GET',
      url: new URL(incoming.url ?? '/', origin),
      headers,
      readBody: () => readBytes(incoming),
      isDisconnected: () => socket.destroyed,
    });
    if (response === undefined) {
      socket.destroy();
      return;
    }
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(response.body);
  }

  /** Undefined if the connection is dropped. */
  async handleRequest(request: FrontEndRequest): Promise<FrontEndResponse | undefined> {
    const { method, url, headers } = request;
    const { origin } = url;
    const requestId = `req-${this.#world.ids.uuid()}`;
    const mount = this.#mounts.find(({ service }) => isPathUnder(url.pathname, service.prefix));
    if (mount === undefined)
      return renderedResponse({ status: 404, body: '' }, { 'X-Openstack-Request-Id': requestId });
    const { service } = mount;
    const { raw, ...body } = parseBody(await request.readBody());
    this.#calls.received({
      atMs: this.#world.clock.now(),
      userAgent: headers['user-agent'] ?? '',
      service: service.name,
      method,
      path: url.pathname,
      body: body.kind === 'json' ? body.value : undefined,
    });
    const access = this.#identify(headers);
    const path = url.pathname.slice(service.prefix.length) || '/';
    const requested = attempt(() => service.negotiate?.(headers) ?? 1);
    const microversion = typeof requested === 'number' ? requested : 1;
    const match = mount.router.match(method, path, microversion);
    const template = typeof match === 'number' ? 'unknown' : match.route.template;
    const { projectId, projectName } = access ?? ANONYMOUS;
    const faults = this.#world.faults.matchCall({
      service: service.name,
      method,
      path: url.pathname,
      projectId,
      projectName,
    });

    const respond = (): ApiResponse =>
      this.#respond(service, match, requested, access, body, {
        method,
        query: url.searchParams,
        rawBody: raw,
        headers,
        origin,
        serviceUrl: `${origin}${service.prefix}`,
        path: url.pathname,
        microversion,
      });
    const latencyMs = pickDurationMs(
      operationDuration(this.#world.config.latency, service.name, method, template),
      this.#world.random,
    );
    const response = await this.#injectFault(service, faults, latencyMs, respond);
    const delivered = request.isDisconnected() ? undefined : response;
    this.#calls.record({
      atMs: this.#world.clock.now(),
      requestId,
      userAgent: headers['user-agent'] ?? '',
      projectId,
      service: service.name,
      method,
      template,
      path: url.pathname + url.search,
      status: delivered?.status ?? 0,
    });
    return (
      delivered &&
      renderedResponse(delivered, {
        ...service.responseHeaders?.(microversion),
        'X-Openstack-Request-Id': requestId,
        ...(service.name === 'compute' ? { 'X-Compute-Request-Id': requestId } : {}),
      })
    );
  }

  #identify(headers: IncomingHttpHeaders): Access | undefined {
    const token = headers['x-auth-token'];
    if (typeof token !== 'string') return undefined;
    const claims = decodeToken(this.#world, token);
    return claims === undefined ? undefined : accessOf(this.#world, claims);
  }

  /** Handles the request and applies faults. Undefined if the connection must be dropped. */
  async #injectFault(
    service: Service,
    faults: readonly CallFault[],
    latencyMs: number,
    respond: () => ApiResponse,
  ): Promise<ApiResponse | undefined> {
    const { clock } = this.#world;
    if (latencyMs > 0) await clock.sleep(latencyMs);
    let response: ApiResponse | undefined;
    for (const when of ['before', 'after'] as const) {
      for (const fault of faults) {
        if (fault.when !== when) continue;
        if (fault.kind === 'delay') {
          await clock.sleep(fault.delayMs);
        } else if (fault.kind === 'drop') {
          return undefined;
        } else {
          return faultResponse(service, fault);
        }
      }
      if (when === 'before') response = respond();
    }
    return response;
  }

  #respond(
    service: Service,
    match: Match | 404 | 405,
    requested: number | Error,
    access: Access | undefined,
    body: ParsedBody,
    request: Omit<ApiRequest, 'params' | 'access' | 'body'>,
  ): ApiResponse {
    const accept = request.headers.accept ?? '';
    const render = (problem: Problem): ApiResponse => service.renderProblem(problem, { accept });
    try {
      if (requested instanceof Error) throw requested;
      if (typeof match === 'object' && match.route.open !== true && access === undefined) {
        return {
          ...renderIdentityProblem(unauthorized()),
          headers: { 'WWW-Authenticate': `Keystone uri="${request.origin}/identity"` },
        };
      }
      if (match === 404) throw new ApiError(404, 'The resource could not be found.', { type: 'HTTPNotFound' });
      if (match === 405) throw new ApiError(405, 'The method is not allowed for this resource.');
      if (body.kind === 'tooLarge') throw new ApiError(413, 'Request is too large.');
      if (body.kind === 'malformed' && service.readsRawBodies !== true)
        throw new ApiError(400, service.malformedBody ?? 'Malformed request body');
      const { route, params } = match;
      return this.#world.database.transact(() =>
        route.handle({
          ...request,
          params,
          access: access ?? ANONYMOUS,
          body: body.kind === 'json' ? body.value : undefined,
        }),
      );
    } catch (error) {
      if (error instanceof ApiError) {
        const response = render(error);
        return { ...response, headers: { ...response.headers, ...error.headers } };
      }
      this.#world.log.error(
        { err: error, path: request.path, method: request.method },
        'request failed in the simulator',
      );
      return render({ status: 500, message: 'Unexpected API Error.' });
    }
  }
}

function faultResponse(service: Service, fault: Extract<CallFault, { kind: 'answer' }>): ApiResponse {
  const response = service.renderProblem(
    { status: fault.status, message: fault.message ?? 'Injected by the simulator.' },
    { accept: 'application/json' },
  );
  if (fault.retryAfterSeconds === undefined) return response;
  return { ...response, headers: { ...response.headers, 'Retry-After': String(fault.retryAfterSeconds) } };
}

function isPathUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

type ParsedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'tooLarge' };

async function readBytes(incoming: IncomingMessage): Promise<Buffer | 'tooLarge'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? 'tooLarge' : Buffer.concat(chunks);
}

function parseBody(raw: Buffer | 'tooLarge'): ParsedBody & { readonly raw: Buffer } {
  if (raw === 'tooLarge') return { kind: 'tooLarge', raw: Buffer.alloc(0) };
  if (raw.length === 0) return { kind: 'json', value: undefined, raw };
  try {
    return { kind: 'json', value: JSON.parse(raw.toString()), raw };
  } catch {
    return { kind: 'malformed', raw };
  }
}

function renderedResponse(response: ApiResponse, headers: Readonly<Record<string, string>>): FrontEndResponse {
  const { body } = response;
  const isJson = typeof body !== 'string' && !(body instanceof Uint8Array);
  const payload = body === undefined ? '' : isJson ? JSON.stringify(body) : body;
  return {
    status: response.status,
    headers: {
      ...(payload === '' ? {} : { 'Content-Type': isJson ? 'application/json' : 'text/html; charset=UTF-8' }),
      ...(response.status === 204 ? {} : { 'Content-Length': `${Buffer.byteLength(payload)}` }),
      ...headers,
      ...response.headers,
    },
    body: payload,
  };
}
