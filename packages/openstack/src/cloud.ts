import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Credential } from './auth/credential.ts';
import type { CredentialSource } from './auth/credential-source.ts';
import { Discovery } from './auth/discovery.ts';
import { Session } from './auth/session.ts';
import { ListGroups } from './cache/list-group.ts';
import { CloudPaces } from './cache/paces.ts';
import type { CloudConfig } from './config/cloud-config.ts';
import { Budget, type BudgetOptions, DEFAULT_BUDGET } from './http/budget.ts';
import { HttpClient, type Timeouts } from './http/http-client.ts';
import type { OpenStackMetrics } from './http/metrics.ts';
import { openTransport } from './http/open-transport.ts';
import type { RetryPolicy } from './http/retry-policy.ts';
import type { HttpTransport } from './http/transport.ts';
import { type OpenStackClient, openStackClient } from './openstack-client.ts';
import type { Service } from './service.ts';
import { SERVICES } from './services.ts';

export interface CloudOptions {
  readonly config: CloudConfig;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Reads the PEM files that the configuration names. */
  readonly readFile: (path: string) => string;
  readonly logger?: Logger;
  readonly metrics?: OpenStackMetrics;
  readonly budget?: BudgetOptions;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryPolicy;
  /** User agent in the services' logs; `fairway` by default. */
  readonly userAgent?: string | undefined;
  /** Defaults to all services that Fairway supports. */
  readonly services?: readonly Service[];
  /** Replaces real connections in tests. */
  readonly transport?: HttpTransport;
}

/** One OpenStack cloud; all of its projects share its connections, budget and version discovery. */
export class Cloud {
  readonly config: CloudConfig;
  readonly budget: Budget;
  /** Lets caches for one project share their lists, whatever their credentials. */
  readonly listGroups = new ListGroups();
  /** How long the cloud takes to make changes. */
  readonly paces = new CloudPaces();
  readonly #options: CloudOptions;
  readonly #transport: HttpTransport;
  readonly #http: HttpClient;
  readonly #discovery: Discovery;

  constructor(options: CloudOptions) {
    const { config, clock, random, logger, metrics, timeouts, retry } = options;
    const budget = options.budget ?? DEFAULT_BUDGET;
    this.config = config;
    this.#options = options;
    this.budget = new Budget(clock, budget);
    this.#transport =
      options.transport ?? openTransport(config.tls, { readFile: options.readFile, connections: budget.concurrent });
    this.#http = new HttpClient({
      cloud: config.name,
      transport: this.#transport,
      clock,
      random,
      budget: this.budget,
      metrics,
      userAgent: options.userAgent,
      ...(logger !== undefined && { logger: logger.child({ cloud: config.name }) }),
      ...(timeouts !== undefined && { timeouts }),
      ...(retry !== undefined && { retry }),
    });
    this.#discovery = new Discovery(this.#http, clock);
  }

  /** A client with the cloud's own credential, or with another one, such as a tenant's application credential. */
  client(credential: Credential | CredentialSource = this.config.credential): OpenStackClient {
    const { authUrl, region, endpointOverrides, endpoints, computeMicroversion } = this.config;
    const services = this.#options.services ?? SERVICES;
    const session = new Session({
      http: this.#http,
      discovery: this.#discovery,
      clock: this.#options.clock,
      authUrl,
      credential,
      interface: this.config.interface,
      region,
      services,
      endpointOverrides,
      ...(endpoints && { endpoints }),
    });
    const microversions = computeMicroversion === undefined ? {} : { compute: computeMicroversion };
    return openStackClient(session, { services, microversions });
  }

  /** Aborts calls in flight. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}
