import type { ZodType } from 'zod';
import type { Session } from './auth/session.ts';
import type { Priority } from './http/budget.ts';
import { OpenStackError } from './http/openstack-error.ts';
import { parseBody } from './http/parse-body.ts';
import type { HttpMethod, HttpResponse } from './http/transport.ts';
import { compareMicroversions, negotiateMicroversion } from './microversion.ts';
import type { ServiceMicroversions } from './service-definition.ts';

export type QueryValue = string | number | boolean | undefined | readonly string[];

/** Last parameter of every client method. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly priority?: Priority;
}

export interface ApiCall extends CallOptions {
  /** Fills the template's `{names}`; encoded. */
  readonly params?: Readonly<Record<string, string>>;
  /** An array repeats its key; undefined omits it. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotent?: boolean;
  /** The call is rejected here if the service has only an older microversion, which would ignore or misread it. */
  readonly minMicroversion?: string;
}

/** How to send the microversion to a service. */
export interface Microversions extends ServiceMicroversions {
  readonly wanted: string;
}

/** One service as called by one session: paths, microversion, JSON validated by schema. */
export class ServiceApi {
  readonly service: string;
  readonly #session: Session;
  readonly #microversions: Microversions | undefined;

  constructor(session: Session, service: string, microversions?: Microversions) {
    this.#session = session;
    this.service = service;
    this.#microversions = microversions;
  }

  projectId(): Promise<string> {
    return this.#session.projectId();
  }

  async userId(): Promise<string> {
    const { token } = await this.#session.token();
    return token.user.id;
  }

  /**
   * Whether services list every project's resources for the session: under default policies, they do if it has the
   * `admin` role in any scope.
   */
  async isAdministrator(): Promise<boolean> {
    const { token } = await this.#session.token();
    return token.roles.some(({ name }) => name === 'admin');
  }

  /** The microversion in use; undefined if the service has none. */
  async microversion(): Promise<string | undefined> {
    if (this.#microversions === undefined) return undefined;
    return negotiateMicroversion(this.#microversions.wanted, await this.#session.microversions(this.service));
  }

  /** The newest of the service's versions; undefined if it reports none. */
  newestVersion(): Promise<string | undefined> {
    return this.#session.newestVersion(this.service);
  }

  async get<T>(schema: ZodType<T>, template: string, call: ApiCall = {}): Promise<T> {
    return this.#json(schema, 'GET', template, call);
  }

  async post<T>(schema: ZodType<T>, template: string, call: ApiCall): Promise<T> {
    return this.#json(schema, 'POST', template, call);
  }

  async put<T>(schema: ZodType<T>, template: string, call: ApiCall): Promise<T> {
    return this.#json(schema, 'PUT', template, call);
  }

  /** For responses whose body is empty or unused. */
  async send(method: HttpMethod, template: string, call: ApiCall = {}): Promise<void> {
    await this.#send(method, template, call);
  }

  async #json<T>(schema: ZodType<T>, method: HttpMethod, template: string, call: ApiCall): Promise<T> {
    const response = await this.#send(method, template, call);
    return parseBody(schema, response, { service: this.service, method, template });
  }

  async #send(method: HttpMethod, template: string, call: ApiCall): Promise<HttpResponse> {
    const { params, query, headers, minMicroversion, ...rest } = call;
    const microversion = await this.microversion();
    if (minMicroversion !== undefined) this.#requireMicroversion(method, template, minMicroversion, microversion);
    return this.#session.call({
      ...rest,
      service: this.service,
      method,
      template,
      path: `${fillTemplate(template, params ?? {})}${queryString(query ?? {})}`,
      headers: { ...headers, ...(microversion !== undefined && this.#microversionHeaders(microversion)) },
    });
  }

  #microversionHeaders(microversion: string): Readonly<Record<string, string>> {
    const { name = this.service, oldHeader } = this.#microversions ?? {};
    return {
      'openstack-api-version': `${name} ${microversion}`,
      ...(oldHeader !== undefined && { [oldHeader]: microversion }),
    };
  }

  #requireMicroversion(method: HttpMethod, template: string, needed: string, negotiated: string | undefined): void {
    if (negotiated !== undefined && compareMicroversions(needed, negotiated) <= 0) return;
    throw new OpenStackError({
      kind: 'badRequest',
      service: this.service,
      method,
      template,
      message: `needs microversion ${needed}, and the service supports ${negotiated ?? 'none'}`,
      outcome: 'notDone',
    });
  }
}

function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // An empty id would turn `DELETE /servers/{id}` into a different call, and so would dots, which are path segments.
    if (value === undefined || ['', '.', '..'].includes(value))
      throw new TypeError(`${template}: no value for {${name}}`);
    return encodeURIComponent(value);
  });
}

function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values = typeof value === 'object' ? value : [String(value)];
    for (const each of values) search.append(key, each);
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
