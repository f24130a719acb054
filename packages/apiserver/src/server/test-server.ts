import { FakeClock } from '@fairway/base/clock-fake';
import type { Transport, TransportResponse } from '@fairway/kube/client/transport';
import type { KubeList, KubeObject } from '@fairway/kube/object/meta';
import type { UserInfo } from '../auth/user.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { ApiServer, type ApiServerOptions } from './api-server.ts';
import type { ResourceDefinition } from './resource.ts';

/** A few kinds that cover every rule, for tests. */
export const testResources: readonly ResourceDefinition[] = [
  {
    group: '',
    version: 'v1',
    plural: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    hasStatus: true,
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    strategy: {
      prepareForCreate: (object) =>
        Object.assign(object, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
    },
  },
  {
    group: '',
    version: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    namespaced: true,
    shortNames: ['cm'],
    hasGeneration: false,
    schema: {
      type: 'object',
      properties: {
        data: { type: 'object', additionalProperties: { type: 'string' } },
        immutable: { type: 'boolean' },
      },
    },
  },
  {
    group: '',
    version: 'v1',
    plural: 'pods',
    kind: 'Pod',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    hasStatus: true,
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    selectableFields: { 'spec.nodeName': '.spec.nodeName', 'status.phase': '.status.phase' },
    strategy: {
      gracePeriodSeconds: (object, requested) =>
        (object as KubeObject & { spec?: { nodeName?: string } }).spec?.nodeName === undefined ? 0 : (requested ?? 30),
    },
  },
  {
    group: 'example.com',
    version: 'v1',
    plural: 'pools',
    kind: 'Pool',
    custom: true,
    namespaced: true,
    hasStatus: true,
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            replicas: { type: 'integer', minimum: 0, default: 1 },
            flavor: { type: 'string' },
            zones: { type: 'array', items: { type: 'string' } },
          },
        },
        status: {
          type: 'object',
          properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    columns: [
      { name: 'Desired', type: 'integer', value: '.spec.replicas' },
      { name: 'Flavor', type: 'string', value: '.spec.flavor', priority: 1 },
      { name: 'Age', type: 'date', value: '.metadata.creationTimestamp' },
    ],
  },
];

export const testVersion = { gitVersion: 'v1.34.0+test', major: '1', minor: '34' };

export const admin: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** A parsed response. */
export interface Reply<T = KubeObject & Record<string, never>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
}

/** An in-memory server with a fake clock, and helpers to call it. */
export class TestServer {
  readonly clock = new FakeClock();
  readonly store: ApiServerOptions['store'];
  readonly server: ApiServer;
  readonly transport: Transport;

  constructor(options: Partial<ApiServerOptions> = {}) {
    this.store = options.store ?? new MemoryStore();
    this.server = new ApiServer({
      resources: testResources,
      clock: this.clock,
      version: testVersion,
      ...options,
      store: this.store,
    });
    this.transport = this.server.transport(admin);
  }

  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<TransportResponse> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return this.transport.request({ method, path, headers, ...(text !== undefined && { body: text }) });
  }

  async call<T = TestObject>(...request: Parameters<TestServer['send']>): Promise<Reply<T>> {
    const response = await this.send(...request);
    const text = await response.text();
    const body: unknown = response.headers['content-type']?.startsWith('text/plain') ? text : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: body as T };
  }

  list(path: string): Promise<Reply<KubeList<TestObject>>> {
    return this.call('GET', path);
  }

  /** Starts a watch whose lines are parsed. Call `stop` when done. */
  async watch(path: string): Promise<TestWatch> {
    const abort = new AbortController();
    const url = `${path}${path.includes('?') ? '&' : '?'}watch=1`;
    const response = await this.transport.request({ method: 'GET', path: url, signal: abort.signal });
    return new TestWatch(response.lines()[Symbol.asyncIterator](), abort);
  }

  async namespace(name = 'default'): Promise<void> {
    await this.call('POST', '/api/v1/namespaces', { metadata: { name } });
  }
}

/** An object with the fields that tests use. */
export interface TestObject extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown> | string;
  data?: Record<string, string>;
  message?: string;
  reason?: string;
  code?: number;
  details?: Record<string, unknown>;
}

export interface TestEvent {
  readonly type: string;
  readonly object: TestObject;
}

export class TestWatch {
  readonly #lines: AsyncIterator<string>;
  readonly #abort: AbortController;

  constructor(lines: AsyncIterator<string>, abort: AbortController) {
    this.#lines = lines;
    this.#abort = abort;
  }

  /** The next event; undefined if the watch has ended. */
  async next(): Promise<TestEvent | undefined> {
    const { done, value } = await this.#lines.next();
    return done ? undefined : (JSON.parse(value) as TestEvent);
  }

  /** The next events as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      seen.push(`${event.type} ${event.object.metadata.name}`);
    }
    return seen;
  }

  stop(): void {
    this.#abort.abort();
  }
}
