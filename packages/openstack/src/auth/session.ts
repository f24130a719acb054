import type { Clock } from '@fairway/base/clock';
import type { Priority } from '../http/budget.ts';
import type { HttpClient } from '../http/http-client.ts';
import { isOpenStackError, OpenStackError } from '../http/openstack-error.ts';
import type { HttpMethod, HttpResponse } from '../http/transport.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { authenticate } from './authenticate.ts';
import { type EndpointInterface, findEndpoint } from './catalog.ts';
import type { Credential } from './credential.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Discovery, MicroversionRange } from './discovery.ts';
import { type IssuedToken, TokenSource } from './token-source.ts';

export interface SessionOptions {
  readonly http: HttpClient;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly authUrl: string;
  /** A source is asked at each login. */
  readonly credential: Credential | CredentialSource;
  readonly interface: EndpointInterface;
  readonly region: string | undefined;
  /** How each service is found; calls name them by type. */
  readonly services: readonly ServiceDefinition[];
  /** In place of the catalog's URLs, by service type. */
  readonly endpointOverrides?: Readonly<Record<string, string>>;
}

export interface SessionCall {
  readonly service: string;
  readonly method: HttpMethod;
  readonly template: string;
  /** Below the endpoint, with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotent?: boolean;
  readonly priority?: Priority;
  readonly signal?: AbortSignal | undefined;
}

/** Calls in the name of one credential: its token, renewed in time or when a service refuses it, and its endpoints. */
export class Session {
  readonly #options: SessionOptions;
  readonly #tokens: TokenSource;
  /** Of the last token. */
  #project: string | undefined;
  /** When a service that answered 429 may be called again. */
  readonly #slowedDown = new Map<string, { readonly untilMs: number; readonly detail: string }>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#tokens = new TokenSource({
      authenticate: () => this.#logIn(),
      clock: options.clock,
    });
  }

  /** The token in use; throws an {@link OpenStackError} when Keystone gives none. */
  async token(): Promise<IssuedToken> {
    return this.#tokens.get();
  }

  /** Logs in anew, whatever is held; a refusal takes away what was held. Throws an {@link OpenStackError}. */
  async renew(): Promise<IssuedToken> {
    return this.#tokens.renew();
  }

  /** Throws `forbidden` when the token is not for a project. */
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

  /** The versioned URL of a service, without a slash at the end. */
  async endpoint(service: string): Promise<string> {
    const { discovery, endpointOverrides, region } = this.#options;
    const definition = this.#definition(service);
    const override = endpointOverrides?.[service];
    if (override !== undefined) return discovery.versionedUrl(definition, override.replace(/\/+$/, ''));
    const { token } = await this.token();
    const choice = findEndpoint(token.catalog, { service: definition, interface: this.#options.interface, region });
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

  async call(call: SessionCall): Promise<HttpResponse> {
    const token = await this.token();
    try {
      return await this.#send(call, token);
    } catch (error) {
      if (!isOpenStackError(error, 'unauthorized')) throw error;
      // Revoked, or Keystone lost its keys: a refusal means that nothing was done, so that any method may be repeated.
      this.#tokens.invalidate(token);
      return await this.#send(call, await this.token());
    }
  }

  #definition(type: string): ServiceDefinition {
    const found = this.#options.services.find((service) => service.type === type);
    if (found === undefined) throw new TypeError(`${type} is not in the list of services`);
    return found;
  }

  async #send(call: SessionCall, token: IssuedToken): Promise<HttpResponse> {
    const { path, headers, ...rest } = call;
    const url = `${await this.endpoint(call.service)}${path}`;
    this.#refuseWhileSlowedDown(call);
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
        this.#slowedDown.set(call.service, { untilMs, detail: error.detail });
      }
      throw error;
    }
  }

  async #logIn(): Promise<IssuedToken> {
    const { http, authUrl, credential } = this.#options;
    const isFixed = 'kind' in credential;
    const login = isFixed ? credential : await credential.credential();
    const issued = await authenticate(http, authUrl, login, this.#project);
    if (!isFixed) credential.accept(issued.token);
    this.#project = issued.token.project?.id;
    return issued;
  }

  /** A service that asked this project to wait is left alone until then, instead of being asked whether it meant it. */
  #refuseWhileSlowedDown(call: SessionCall): void {
    const slowedDown = this.#slowedDown.get(call.service);
    if (slowedDown === undefined) return;
    const retryAfterMs = slowedDown.untilMs - this.#options.clock.now();
    if (retryAfterMs <= 0) {
      this.#slowedDown.delete(call.service);
      return;
    }
    const { service, method, template } = call;
    // In the service's own words: it is one and the same cause.
    const message = slowedDown.detail;
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
