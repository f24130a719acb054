import type { Clock } from '@fairway/base/clock';
import { trimmedEnd } from '@fairway/base/trim';
import type { Priority } from '../http/budget.ts';
import type { HttpClient } from '../http/http-client.ts';
import { isOpenStackError, OpenStackError } from '../http/openstack-error.ts';
import type { HttpMethod, HttpResponse } from '../http/transport.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { authenticate } from './authenticate.ts';
import { type EndpointInterface, findEndpoint, type ServiceEndpoint } from './catalog.ts';
import type { Credential } from './credential.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Discovery, MicroversionRange } from './discovery.ts';
import { type IssuedToken, isRefusal, TokenSource } from './token-source.ts';

export interface SessionOptions {
  readonly http: HttpClient;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly authUrl: string;
  /** A source is read at each login. */
  readonly credential: Credential | CredentialSource;
  readonly interface: EndpointInterface;
  readonly region: string | undefined;
  /** How to find each service; calls use its type. */
  readonly services: readonly ServiceDefinition[];
  /** Overrides of the catalog's URLs, by service type. */
  readonly endpointOverrides?: Readonly<Record<string, string>>;
  /** Interface and region of individual services, by service type. */
  readonly endpoints?: Readonly<Record<string, ServiceEndpoint>>;
}

export interface SessionCall {
  readonly service: string;
  readonly method: HttpMethod;
  readonly template: string;
  /** Relative to the endpoint, with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotent?: boolean;
  readonly priority?: Priority;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Authenticated calls with one credential. Holds its endpoints and its token, which is renewed before it expires or
 * when a service rejects it.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #tokens: TokenSource;
  /** The project of the last token. */
  #project: string | undefined;
  readonly #refusalListeners = new Set<() => void>();
  /** When a service that returned 429 may be called again. */
  readonly #throttled = new Map<string, { readonly untilMs: number; readonly detail: string }>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#tokens = new TokenSource({
      authenticate: () => this.#logIn(),
      clock: options.clock,
    });
  }

  /** The current token; throws an {@link OpenStackError} if Keystone issues none. */
  async token(): Promise<IssuedToken> {
    try {
      return await this.#tokens.get();
    } catch (error) {
      throw this.#notifyRefused(error);
    }
  }

  /**
   * Calls `listener` when Keystone refuses the credential of a call, or a service refuses the call itself: the credential or its
   * roles may have been revoked. Failures of {@link renew} and of calls to Keystone are not reported, since their callers see
   * them. Returns a function that unsubscribes.
   */
  onRefused(listener: () => void): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  /** Forces a new login; if Keystone rejects it, the current token is dropped. Throws an {@link OpenStackError}. */
  async renew(): Promise<IssuedToken> {
    return this.#tokens.renew();
  }

  /** Throws `forbidden` if the token is not project-scoped. */
  async projectId(): Promise<string> {
    const { token } = await this.token();
    if (token.project !== undefined) return token.project.id;
    throw new OpenStackError({
      kind: 'forbidden',
      service: 'identity',
      method: 'POST',
      template: '/v3/auth/tokens',
      message: `the token of user ${token.user.name} is not scoped to a project`,
      outcome: 'notDone',
    });
  }

  /** The versioned URL of a service, without a trailing slash. */
  async endpoint(service: string): Promise<string> {
    const { discovery, endpointOverrides, endpoints, region } = this.#options;
    const definition = this.#definition(service);
    const override = endpointOverrides?.[service];
    if (override !== undefined) return discovery.versionedUrl(definition, trimmedEnd(override, '/'));
    const { token } = await this.token();
    const own = endpoints?.[service];
    const choice = findEndpoint(token.catalog, {
      service: definition,
      interface: own?.interface ?? this.#options.interface,
      region: own?.region ?? region,
    });
    if ('url' in choice) return discovery.versionedUrl(definition, choice.url);
    throw new OpenStackError({
      kind: 'notFound',
      service,
      method: 'GET',
      template: '/',
      message: choice.problem,
      outcome: 'notDone',
    });
  }

  async microversions(service: string): Promise<MicroversionRange | undefined> {
    const url = await this.endpoint(service);
    const { id } = await this.token();
    return this.#options.discovery.microversions(service, url, { 'x-auth-token': id });
  }

  /**
   * The newest version that a service lists, such as `2.26`; for services that report minor versions but do not negotiate them.
   */
  async newestVersion(service: string): Promise<string | undefined> {
    return this.#options.discovery.newestVersion(service, await this.endpoint(service));
  }

  async call(call: SessionCall): Promise<HttpResponse> {
    const token = await this.token();
    try {
      return await this.#send(call, token);
    } catch (error) {
      if (!isOpenStackError(error, 'unauthorized')) throw this.#notifyRefused(error, call.service);
    }
    // The token was revoked, or Keystone lost its keys. A 401 means that nothing was done, so any method can be
    // retried.
    this.#tokens.invalidate(token);
    const next = await this.token();
    try {
      return await this.#send(call, next);
    } catch (error) {
      throw this.#notifyRefused(error, call.service);
    }
  }

  /** Returns the error after notifying listeners. */
  #notifyRefused(error: unknown, service?: string): unknown {
    if (isRefusal(error) && service !== 'identity') for (const listener of this.#refusalListeners) listener();
    return error;
  }

  #definition(type: string): ServiceDefinition {
    const found = this.#options.services.find((service) => service.type === type);
    if (found === undefined) throw new TypeError(`${type} is not in the list of services`);
    return found;
  }

  async #send(call: SessionCall, token: IssuedToken): Promise<HttpResponse> {
    const { path, headers, ...rest } = call;
    const url = `${await this.endpoint(call.service)}${path}`;
    this.#rejectWhileThrottled(call);
    try {
      return await this.#options.http.call({
        ...rest,
        project: this.#project,
        url,
        headers: { ...headers, 'x-auth-token': token.id },
      });
    } catch (error) {
      if (isOpenStackError(error, 'rateLimited') && error.retryAfterMs !== undefined) {
        const untilMs = this.#options.clock.now() + error.retryAfterMs;
        this.#throttled.set(call.service, { untilMs, detail: error.detail });
      }
      throw error;
    }
  }

  async #logIn(): Promise<IssuedToken> {
    const { http, authUrl, credential } = this.#options;
    const isFixed = 'kind' in credential;
    const login = isFixed ? credential : await credential.credential();
    const issued = await authenticate(http, authUrl, login, {
      project: this.#project,
      owner: isFixed ? undefined : credential.owner,
    });
    if (!isFixed) credential.accept(issued.token);
    this.#project = issued.token.project?.id;
    return issued;
  }

  /** Honors a service's Retry-After for this project: no calls until then. */
  #rejectWhileThrottled(call: SessionCall): void {
    const throttled = this.#throttled.get(call.service);
    if (throttled === undefined) return;
    const retryAfterMs = throttled.untilMs - this.#options.clock.now();
    if (retryAfterMs <= 0) {
      this.#throttled.delete(call.service);
      return;
    }
    const { service, method, template } = call;
    // Keeps the service's message, so it counts as the same cause.
    const message = throttled.detail;
    throw new OpenStackError({
      kind: 'rateLimited',
      service,
      method,
      template,
      message,
      outcome: 'notDone',
      retryAfterMs,
    });
  }
}
