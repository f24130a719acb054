import type { ConditionReason } from '@fairway/api/conditions';
import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { type Clock, formatTime } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { FastClock } from '@fairway/base/testing/fast-clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Runnable } from '@fairway/kube/controller/manager';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { CloudConfig } from '@fairway/simulator/config';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { CACHE_FILTERS, serverOwner } from '@fairway/tenancy/cloud/ownership';
import { type Clouds, ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { Registry } from 'prom-client';
import { CloudInitBootstrapper } from '../machine/bootstrapper.ts';
import { type Controllers, type ControllersOptions, createControllers } from '../start.ts';
import { CloudTransport } from './cloud-transport.ts';
import { LONG_WATCH_SECONDS } from './long-watches.ts';
import { SteppingClock } from './stepping-clock.ts';
import { TENANT_ADMIN, TestControlPlanes } from './test-control-planes.ts';
import { isEngineInProcess, openTestEngine, TEAM, type TestEngine } from './test-engine.ts';
import type { TestOwner } from './test-owner.ts';
import { type ChooseApiFault, unreliable } from './unreliable-api.ts';

export { TEAM } from './test-engine.ts';

export interface TestFairwayOptions {
  /**
   * Runs everything in real time, as engines in other processes always do: for components that use sockets, and
   * certificates that Node checks.
   */
  readonly realTime?: boolean;
  /** How many times faster the clock runs than real time; 20 by default. */
  readonly speed?: number;
  readonly cloud?: Partial<CloudConfig>;
  /** Whether nodes join as soon as their servers are ACTIVE; true by default. */
  readonly nodesJoin?: boolean;
  /** Injects faults into the controllers' requests to Fairway's own API. */
  readonly apiFaults?: ChooseApiFault;
  /** Components that run in addition to the controllers, such as the cloud provider. */
  readonly runnables?: (parts: Parts) => readonly Runnable[];
  readonly log?: Logger;
  /** Which process owns the clusters; by default, this one owns all of them. */
  readonly owner?: TestOwner;
  /** How long the cloud may take to respond to a request. */
  readonly settleMs?: number;
  /** See ControllerDependencies. */
  readonly missingGraceMs?: number;
  /** See ControllerDependencies. */
  readonly orphans?: OrphanPolicy;
  /** See ControllerDependencies. */
  readonly keystoneUsers?: ControllersOptions['keystoneUsers'];
  readonly usageRetentionMs?: number;
  /** Whether NodePools are served inside clusters; off by default, because most tests do not need it. */
  readonly allowInCluster?: boolean;
  /** The registry of the controllers' own metrics. */
  readonly registry?: Registry;
  /** How often the project's servers are listed while no change is expected; every minute by default. */
  readonly observeMs?: number;
  /** How often they are listed while all nodes are Ready and observed; just as often by default. */
  readonly idleMs?: number;
  /** Replaces the clock on which time passes automatically when nothing is running. */
  readonly clock?: SteppingClock;
  /** Injects faults into requests to tenants' API servers; none by default. */
  readonly tenantFaults?: ChooseApiFault;
  /** The operator's load balancer settings; none by default. */
  readonly loadBalancers?: CloudLoadBalancers;
  /** Wraps the transport to the cloud; not wrapped by default. */
  readonly cloudTransport?: (transport: HttpTransport) => HttpTransport;
  /** The jitter of all delays, in [0, 1); the same in each run by default. */
  readonly random?: () => number;
}

/** Shared parts of one process. */
interface Parts {
  readonly cache: Controllers['cache'];
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly bootstrapper: CloudInitBootstrapper;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const SETTLE_MS = 2_000;
/** Far longer than any operation that Fairway completes without help. */
const WAIT_TIMEOUT_MS = 3_600_000;
const SEED = 7;

/** The components that run in one process and end with it. */
interface Process {
  readonly project: ProjectCloud;
  readonly tenants: TenantClusters;
  readonly bootstrapper: CloudInitBootstrapper;
  readonly controllers: Controllers;
  stop(): Promise<void>;
}

/**
 * Fairway's controllers with an in-memory API server, a simulated cloud without sockets, and control planes that are
 * bare API servers.
 */
export class TestFairway implements AsyncDisposable {
  readonly clock: Clock;
  readonly cloud: Cloud;
  readonly runtime: TestControlPlanes;
  readonly client: KubeClient;
  /** Whether nodes join as soon as their servers are ACTIVE. */
  joinsNodes = true;
  readonly #engine: TestEngine;
  readonly #connection: CloudConnection;
  readonly #log: Logger;
  readonly #runnables: NonNullable<TestFairwayOptions['runnables']>;
  readonly #settleMs: number;
  readonly #observeMs: number | undefined;
  readonly #idleMs: number | undefined;
  readonly #missingGraceMs: number | undefined;
  readonly #orphans: OrphanPolicy | undefined;
  readonly #keystoneUsers: ControllersOptions['keystoneUsers'];
  readonly #usageRetentionMs: number | undefined;
  readonly #allowInCluster: boolean;
  readonly #registry: Registry | undefined;
  readonly #apiFaults: ChooseApiFault | undefined;
  readonly #tenantFaults: ChooseApiFault | undefined;
  readonly #random: () => number;
  readonly #loadBalancers: CloudLoadBalancers | undefined;
  /** Application credentials by CloudCredential name. */
  readonly #logins = new Map<string, { readonly id: string; readonly secret: string }>();
  /** Stops a clock on which time passes automatically. */
  #stopTime: (() => void) | undefined;
  #process: Process | undefined;

  private constructor(
    clock: Clock,
    engine: TestEngine,
    cloud: Cloud,
    connection: CloudConnection,
    options: TestFairwayOptions,
  ) {
    const { log = silentLogger, runnables = () => [], settleMs = SETTLE_MS, observeMs, apiFaults } = options;
    this.clock = clock;
    this.cloud = cloud;
    this.#connection = connection;
    this.#log = log;
    this.#runnables = runnables;
    this.#settleMs = settleMs;
    this.#observeMs = observeMs;
    this.#idleMs = options.idleMs;
    this.#apiFaults = apiFaults;
    this.#missingGraceMs = options.missingGraceMs;
    this.#orphans = options.orphans;
    this.#keystoneUsers = options.keystoneUsers;
    this.#usageRetentionMs = options.usageRetentionMs;
    this.#allowInCluster = options.allowInCluster ?? false;
    this.#registry = options.registry;
    this.#tenantFaults = options.tenantFaults;
    this.#random = options.random ?? seededRandom(SEED);
    this.#loadBalancers = options.loadBalancers;
    this.runtime = new TestControlPlanes(clock);
    this.#engine = engine;
    this.client = engine.client;
  }

  static async start(options: TestFairwayOptions = {}): Promise<TestFairway> {
    const steppingClock = options.clock ?? (isEngineInProcess() && !options.realTime ? new SteppingClock() : undefined);
    const clock = steppingClock ?? new FastClock(options.speed ?? 20);
    const stopTime = options.clock ? undefined : steppingClock?.run();
    const log = options.log ?? silentLogger;
    const cloud = createCloud({
      clock: steppingClock?.serverClock ?? clock,
      random: seededRandom(SEED),
      ...(options.cloud && { config: options.cloud }),
    });
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    const yaml = cloud.cloudsYaml();
    const config = new CloudsYaml({
      env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
      cwd: '/',
      home: '/',
      readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
    }).get('simulator');
    const transport = new CloudTransport(cloud);
    const connection = new CloudConnection({
      config,
      clock,
      random: options.random ?? seededRandom(SEED),
      readFile: () => '',
      logger: log,
      transport: (options.cloudTransport ?? passThrough)(steppingClock?.watching(transport) ?? transport),
    });
    const engine = await openTestEngine(clock);
    const fairway = new TestFairway(clock, engine, cloud, connection, options);
    fairway.#stopTime = stopTime;
    fairway.joinsNodes = options.nodesJoin !== false;
    fairway.#joinNodes();
    await fairway.startProcess(options.owner);
    return fairway;
  }

  get process(): Process {
    if (this.#process === undefined) throw new Error('no process runs');
    return this.#process;
  }

  /** Starts another process on the same API and cloud; a running one keeps running. */
  async startProcess(owner?: TestOwner): Promise<void> {
    const { clock, runtime } = this;
    const log = this.#log;
    const random = this.#random;
    const engine = await this.#engine.connect({ clock, random, log, chooseFault: this.#apiFaults });
    const { client, reader, informers } = engine;
    const caches: ProjectCache[] = [];
    const openProject = (openStack: OpenStackClient, credentialKey?: string): ProjectCloud => {
      const cache = new ProjectCache({
        client: openStack,
        clock,
        random,
        filters: CACHE_FILTERS,
        intervals: {
          ...(this.#observeMs !== undefined && { slowMs: this.#observeMs }),
          ...(this.#idleMs !== undefined && { idleMs: this.#idleMs }),
        },
        logger: log,
      });
      caches.push(cache);
      return new ProjectCloud({
        name: 'simulator',
        region: 'RegionOne',
        credentialKey,
        client: openStack,
        cache,
        clock,
        random,
        log,
        settleMs: this.#settleMs,
        ...(this.#loadBalancers && { loadBalancers: this.#loadBalancers }),
      });
    };
    const project = openProject(this.#connection.client());
    const tenantProjects = new Map<string, ProjectCloud>();
    const projectOf = (namespace: string, name: string): ProjectCloud => {
      const login = this.#logins.get(name);
      if (login === undefined) return project;
      const known = tenantProjects.get(name);
      if (known) return known;
      const client = this.#connection.client({ kind: 'applicationCredential', ...login });
      const opened = openProject(client, `${namespace}/${name}`);
      tenantProjects.set(name, opened);
      return opened;
    };
    const clouds: Clouds = {
      forNamespace: (namespace, name) => {
        if (name === undefined) return project;
        return reader.get(cloudCredentials, namespace, name) && projectOf(namespace, name);
      },
      forgetCredential() {},
    };
    const credentials = new ClusterCredentials(client, clock);
    const tenants = new TenantClusters({
      connect: async (cluster) => {
        const transport = runtime.server(identityOf(cluster)).transport(TENANT_ADMIN);
        return this.#tenantFaults ? unreliable(transport, this.#tenantFaults) : transport;
      },
      minWatchSeconds: LONG_WATCH_SECONDS,
      clock,
      random,
      log,
    });
    const bootstrapper = new CloudInitBootstrapper({
      credentials,
      tenants,
      plans: { get: (name) => reader.get(plans, '', name) },
      releases: { list: () => reader.list(kubernetesReleases) },
      clock,
    });
    const controllers = createControllers({
      client,
      informers,
      owner: owner?.by(clock),
      clouds,
      runtime,
      credentials,
      tenants,
      bootstrapper,
      missingGraceMs: this.#missingGraceMs,
      orphans: this.#orphans,
      ...(this.#keystoneUsers && { keystoneUsers: this.#keystoneUsers }),
      ...(this.#usageRetentionMs !== undefined && { usageRetentionMs: this.#usageRetentionMs }),
      allowInCluster: this.#allowInCluster,
      registry: this.#registry,
      clock,
      random,
      log,
    });
    controllers.manager.add(...engine.runnables);
    const parts = { cache: controllers.cache, clouds: controllers.clouds, tenants, bootstrapper, clock, random, log };
    controllers.manager.add(...this.#runnables(parts));
    const abort = new AbortController();
    const started = Promise.withResolvers<void>();
    const ended = controllers.manager.run(abort.signal, started.resolve);
    ended.catch(started.reject);
    await started.promise;
    this.#process = {
      project,
      tenants,
      bootstrapper,
      controllers,
      async stop() {
        abort.abort();
        tenants.close();
        for (const cache of caches) cache.stop();
        await ended;
        await engine.close();
      },
    };
  }

  async stopProcess(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    return this.client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  }

  /** A cluster `demo` without nodes, with this spec. */
  createCluster(spec: Parameters<typeof aCluster>[0] = {}, name = 'demo'): Promise<Cluster> {
    return this.create(clusters, aCluster(spec, { name, namespace: TEAM }));
  }

  /**
   * A CloudCredential with its own application credential, which expires in this many milliseconds. Returns its ID in
   * Keystone.
   */
  async createCredential(
    { endsInMs, roles }: { endsInMs?: number; roles?: readonly string[] } = {},
    name = 'mine',
  ): Promise<string> {
    const { id, secret } = await this.process.project.client.identity.createApplicationCredential({
      name,
      ...(endsInMs !== undefined && { expires_at: formatTime(this.clock.now() + endsInMs) }),
      ...(roles && { roles: roles.map((role) => ({ name: role })) }),
    });
    this.#logins.set(name, { id, secret });
    const spec = { cloud: 'simulator', secretRef: { name: 'login' }, reclaimPolicy: 'Retain' as const };
    await this.create(cloudCredentials, { metadata: { name, namespace: TEAM }, spec });
    return id;
  }

  createPool(spec: Parameters<typeof aNodePool>[0] = {}, name = 'general'): Promise<NodePool> {
    return this.create(nodePools, aNodePool(spec, { name, namespace: TEAM }));
  }

  /** A cluster `demo` with one pool `general`, all Ready. */
  async readyCluster(
    pool: Parameters<typeof aNodePool>[0] = {},
    cluster: Parameters<typeof aCluster>[0] = {},
  ): Promise<Cluster> {
    await this.createCluster(cluster);
    const { spec } = await this.createPool(pool);
    // The cluster may become Ready before the pool is created.
    const [found] = await this.until(
      clusters,
      ([each]) => isReady(each) && each?.status?.nodes?.ready === spec.replicas,
      'demo',
    );
    return found as Cluster;
  }

  async clusterReady(name = 'demo'): Promise<Cluster> {
    const [found] = await this.until(clusters, ([cluster]) => isReady(cluster), name);
    return found as Cluster;
  }

  async poolReady(name = 'general'): Promise<NodePool> {
    const isUpToDate = (pool: NodePool | undefined) =>
      isReady(pool) && pool?.status?.observedGeneration === pool?.metadata.generation;
    const [found] = await this.until(nodePools, ([pool]) => isUpToDate(pool), name);
    return found as NodePool;
  }

  /** Waits for the team's objects, by name or all, until `check` returns true. */
  until<T extends KubeObject>(
    type: ResourceType<T>,
    check: (objects: readonly T[]) => boolean,
    name?: string,
  ): Promise<readonly T[]> {
    const selection = { namespace: TEAM, ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }) };
    return eventually(this.client.resource(type), selection, check, { clock: this.clock });
  }

  /** Like `until`, for cluster-scoped objects in a tenant's cluster. */
  untilTenant<T extends KubeObject>(
    clusterUid: string,
    type: ResourceType<T>,
    check: (objects: readonly T[]) => boolean,
  ): Promise<readonly T[]> {
    return eventually(this.runtime.client(clusterUid).resource(type), {}, check, { clock: this.clock });
  }

  /** Waits until `check` resolves with true, polling every second. */
  async pollUntil(check: () => Promise<boolean>): Promise<void> {
    const lastMs = this.clock.now() + WAIT_TIMEOUT_MS;
    while (!(await check())) {
      if (this.clock.now() > lastMs) throw new Error(`not within ${WAIT_TIMEOUT_MS} ms`);
      await this.clock.sleep(1_000);
    }
  }

  /** Waits until an object of the kind is not Ready for this reason. */
  async untilReported(
    kind: typeof clusters | typeof nodePools | typeof machines,
    reason: ConditionReason,
    message: RegExp,
  ): Promise<void> {
    const type: ResourceType<Cluster | NodePool | Machine> = kind;
    await this.until(type, (objects) =>
      objects.some(({ status }) => {
        const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
        return ready?.reason === reason && message.test(ready.message);
      }),
    );
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, name: string, value: object): Promise<T> {
    return this.client.resource(type).patch(name, { type: 'merge', value }, { namespace: TEAM });
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<void> {
    await this.client.resource(type).delete(name, { namespace: TEAM });
  }

  clusterOf({ spec }: Machine): Promise<Cluster> {
    return this.client.resource(clusters).get(spec.clusterName, { namespace: TEAM });
  }

  async machines(): Promise<readonly Machine[]> {
    return (await this.client.resource(machines).list({ namespace: TEAM })).items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.stopProcess();
    // A call that takes the cloud a while may be in progress, on a clock that stands still.
    await (this.clock instanceof SteppingClock && !this.#stopTime ? this.clock.during(stopped) : stopped);
    await this.runtime.close();
    await this.#engine[Symbol.asyncDispose]();
    await this.#connection.close();
    await this.cloud.close();
    this.#stopTime?.();
  }

  #joinNodes(): void {
    this.cloud.onServerActive(({ name, tags }) => {
      const owner = serverOwner({ tags });
      if (owner && this.joinsNodes) void this.runtime.join(owner.clusterUid, name).catch(() => {});
    });
  }
}

function passThrough(transport: HttpTransport): HttpTransport {
  return transport;
}

export function isReady(object: Cluster | NodePool | Machine | undefined): boolean {
  const ready = object?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && object?.metadata.deletionTimestamp === undefined;
}

/** Whether an object is this one, regardless of changes to it. */
export function isSame(object: KubeObject | undefined): (other: KubeObject) => boolean {
  return (other) => other.metadata.uid === object?.metadata.uid;
}
