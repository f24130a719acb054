import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { resourceDefinition } from '@fairway/api/server/resource-definitions';
import { blindObjects, blindReader } from '@fairway/api/testing/blind';
import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { namespaceController } from '@fairway/apiserver/lifecycle/namespace-controller';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Runnable } from '@fairway/kube/controller/manager';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { LONG_WATCH_SECONDS } from './long-watches.ts';
import { TENANT_ADMIN } from './test-control-planes.ts';
import { type ChooseApiFault, unreliable } from './unreliable-api.ts';

/** Namespace of the tenant whose clusters tests create. */
export const TEAM = 'team';

/** One process's connection to the engine. */
export interface EngineConnection {
  /** A client with the permissions of Fairway's controllers. */
  readonly client: KubeClient;
  readonly reader: ObjectReader;
  /** Informers that are already started. */
  readonly informers: InformerSet;
  /** Components that run in addition to the controllers. */
  readonly runnables: readonly Runnable[];
  close(): Promise<void>;
}

/** A Kubernetes API with only Fairway's kinds, its shipped objects, and a team's namespace. */
export interface TestEngine extends AsyncDisposable {
  /** A client with administrator permissions. */
  readonly client: KubeClient;
  connect(options: ConnectOptions): Promise<EngineConnection>;
}

export interface ConnectOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Injects faults into the controllers' requests to the API; none by default. */
  readonly chooseFault?: ChooseApiFault | undefined;
}

export type OpenTestEngine = (clock: Clock) => Promise<TestEngine>;

let openDefault: OpenTestEngine = openEmbeddedTestEngine;
let isInProcess = true;

/** The default engine for tests. */
export function openTestEngine(clock: Clock): Promise<TestEngine> {
  return openDefault(clock);
}

/**
 * Whether the engine runs only in this process. Otherwise it also works in real time, which no clock here can observe.
 */
export function isEngineInProcess(): boolean {
  return isInProcess;
}

/** Runs all subsequent tests in this process on an engine in other processes. */
export function useTestEngine(openEngine: OpenTestEngine): void {
  openDefault = openEngine;
  isInProcess = false;
}

const resources = [...authKinds(MANAGEMENT_KINDS), ...KINDS.map((kind) => resourceDefinition(kind))];

/** The embedded API server with an in-memory store. */
async function openEmbeddedTestEngine(clock: Clock): Promise<TestEngine> {
  const server = new ApiServer({
    store: new MemoryStore(),
    resources,
    definitions: builtinDefinitions(),
    clock,
    version: { gitVersion: 'v1.34.0', major: '1', minor: '34' },
    bookmarkMs: LONG_WATCH_SECONDS * 1_000,
  });
  const client = new KubeClient(server.transport(TENANT_ADMIN), { clock });
  await fillNamespaces(client);
  await fillCatalogue(client);
  return {
    client,
    connect: (options) => Promise.resolve(connectEmbedded(server, options)),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function connectEmbedded(server: ApiServer, { chooseFault, ...shared }: ConnectOptions): EngineConnection {
  const transport = blindReader(server.transport(TENANT_ADMIN));
  const client = new KubeClient(chooseFault ? unreliable(transport, chooseFault) : transport, shared);
  const informers = new InformerSet(client, { ...shared, minWatchSeconds: LONG_WATCH_SECONDS });
  const caches = new AbortController();
  informers.start(caches.signal);
  return {
    client,
    reader: blindObjects(server.reader),
    informers,
    runnables: [namespaceController({ client, informers, ...shared })],
    async close() {
      caches.abort();
      await informers.stopped();
    },
  };
}

/** Creates the namespaces that tests use. */
export async function fillNamespaces(client: KubeClient): Promise<void> {
  for (const name of ['default', SYSTEM_NAMESPACE, TEAM]) {
    await create(client, Namespaces, { metadata: { name }, spec: {} });
  }
}

/** Creates the plans and releases that Fairway ships. */
export async function fillCatalogue(client: KubeClient): Promise<void> {
  for (const plan of SHIPPED_PLANS) await create(client, plans, plan);
  for (const release of SHIPPED_RELEASES) await create(client, kubernetesReleases, release);
}

async function create<T extends KubeObject>(client: KubeClient, type: ResourceType<T>, object: T): Promise<void> {
  try {
    await client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
