import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { resourceCounts } from '../cloud-contents.ts';
import { offer } from '../offers.ts';
import { SteppingClock } from '../stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../test-fairway.ts';
import { UsageTruth } from '../usage-truth.ts';
import { BATCH_PODS_PER_NODE, BatchWorkload } from './batch-workload.ts';
import { BudgetWitness } from './budget-witness.ts';
import { MachineWitness } from './machine-witness.ts';
import { TenantWorkload } from './tenant-workload.ts';

/** How often kubelets report and pods are placed. */
const TICK_MS = 30_000;
const PODS = 4;
/** The pool that scales with the pods of a batch. */
export const ELASTIC_POOL = 'elastic';
export const MAX_ELASTIC_NODES = 4;
/** Newest first; within the allowed skew of the versions that nodes report. */
export const VERSIONS = ['1.37', '1.36'];

interface CloudServerRow {
  readonly id: string;
  readonly name: string;
  readonly vmState: string;
  readonly taskState: string | null;
  readonly deletedMs: number | null;
}

/**
 * A Fairway instance whose users, nodes, cloud and process act at random, on its own clock. The same seed always
 * produces the same run.
 */
export class Walk implements AsyncDisposable {
  readonly random: () => number;
  readonly clock = new SteppingClock();
  readonly log: string[] = [];
  fairway!: TestFairway;
  witness!: MachineWitness;
  #previousCounts: Readonly<Record<string, number>> = {};
  budget!: BudgetWitness;
  usage!: UsageTruth;
  #workload: TenantWorkload | undefined;
  batch: BatchWorkload | undefined;
  #clusterUid = '';
  /** Names of servers that the walk itself has stopped or deleted. */
  readonly killed = new Set<string>();

  private constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A cluster with a pool of three, all Ready. */
  static async start(seed: number): Promise<Walk> {
    const walk = new Walk(seed);
    const { clock, random } = walk;
    walk.fairway = await TestFairway.start({ clock, random, nodesJoin: false });
    const { fairway } = walk;
    fairway.cloud.onServerActive(({ name, tags }) => {
      const owner = serverOwner({ tags });
      if (owner) void fairway.runtime.join(owner.clusterUid, name).catch(() => {});
    });
    walk.usage = new UsageTruth(fairway);
    await offer(fairway, VERSIONS);
    await walk.pass(60_000);
    walk.#previousCounts = resourceCounts(fairway.cloud);
    walk.witness = await MachineWitness.of(fairway);
    const cluster = await clock.during(fairway.readyCluster({ replicas: 3 }, { version: VERSIONS.at(-1) ?? '' }));
    walk.#clusterUid = identityOf(cluster);
    const tenant = fairway.runtime.client(walk.#clusterUid);
    walk.#workload = await TenantWorkload.start(tenant, PODS, 'general');
    walk.batch = new BatchWorkload(tenant, ELASTIC_POOL);
    const autoscaling = { enabled: true };
    await clock.during(fairway.createPool({ replicas: 0, maxReplicas: MAX_ELASTIC_NODES, autoscaling }, ELASTIC_POOL));
    walk.budget = new BudgetWitness(
      fairway,
      (name) => walk.killed.has(name),
      async (name) => (await walk.#workload?.runningPods(name)) ?? 0,
    );
    return walk;
  }

  /** Advances the clock for all participants. */
  async pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= TICK_MS) {
      await this.clock.pass(Math.min(TICK_MS, leftMs));
      const running = new Set(
        this.servers()
          .filter(isRunning)
          .map(({ name }) => name),
      );
      await this.clock.during(this.budget?.settled() ?? Promise.resolve());
      if (this.fairway.runtime.isHibernated(this.#clusterUid)) continue;
      await this.clock.during(this.#workload?.tick((name) => running.has(name)) ?? Promise.resolve());
      await this.clock.during(this.batch?.tick() ?? Promise.resolve());
    }
  }

  /** The servers in the cloud, sorted by name. */
  servers(): readonly CloudServerRow[] {
    const { servers = [] } = this.fairway.cloud.snapshot() as unknown as Readonly<
      Record<string, readonly CloudServerRow[]>
    >;
    return servers.filter(({ deletedMs }) => deletedMs === null).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  async pool(name = 'general'): Promise<NodePool> {
    return this.clock.during(this.fairway.client.resource(nodePools).get(name, { namespace: TEAM }));
  }

  async cluster(): Promise<Cluster> {
    return this.clock.during(this.fairway.client.resource(clusters).get('demo', { namespace: TEAM }));
  }

  async wake(): Promise<void> {
    const value = { spec: { hibernation: { enabled: false } } };
    await this.clock.during(this.fairway.patch(clusters, 'demo', value));
  }

  note(text: string): void {
    this.log.push(`${new Date(this.clock.now()).toISOString().slice(11, 19)} ${text}`);
  }

  /** Deviations from the desired state once everything has settled. */
  async unsettledProblems(): Promise<string[]> {
    const [cluster, pool] = [await this.cluster(), await this.pool()];
    const machines = await this.clock.during(this.fairway.machines());
    const elasticPool = await this.pool(ELASTIC_POOL);
    const batch = this.batch?.size ?? 0;
    const replicas = pool.spec.replicas + Math.ceil(batch / BATCH_PODS_PER_NODE);
    const problems: string[] = [];
    const expectEqual = (what: string, is: unknown, expected: unknown) => {
      if (is !== expected) problems.push(`${what}: ${String(is)}, not ${String(expected)}`);
    };
    expectEqual('the cluster is ready', isReady(cluster), true);
    expectEqual('the cluster hibernates', shouldHibernate(cluster), false);
    expectEqual('the pool is ready', isReady(pool), true);
    expectEqual('the elastic pool is ready', isReady(elasticPool), true);
    const running = (await this.batch?.pods())?.filter(({ spec }) => spec?.nodeName !== undefined).length;
    expectEqual('pods of the batch that run', running, batch);
    expectEqual('machines', machines.length, replicas);
    expectEqual('ready machines', machines.filter(isReady).length, replicas);
    expectEqual('servers', this.servers().length, replicas);
    for (const { metadata, spec } of machines)
      expectEqual(`version of ${metadata.name}`, spec.version, cluster.status?.version);
    const { flavor, availabilityZones: zones } = pool.spec;
    for (const { metadata, spec } of machines.filter(({ spec }) => spec.nodePoolName === 'general')) {
      expectEqual(`flavor of ${metadata.name}`, spec.flavor, flavor);
      expectEqual(`zone of ${metadata.name} is the pool's`, zones?.includes(spec.zone ?? '') ?? true, true);
    }
    const nodes = await this.#nodes(cluster);
    expectEqual(
      'nodes',
      nodes.toSorted().join(),
      machines
        .map(({ metadata }) => metadata.name ?? '')
        .toSorted()
        .join(),
    );
    return problems;
  }

  async #nodes(cluster: Cluster): Promise<string[]> {
    const { items } = await this.fairway.runtime.client(identityOf(cluster)).resource(tenantNodes).list();
    return items.map(({ metadata }) => metadata.name ?? '');
  }

  /** Deletes everything that a user can delete. */
  async deleteAll(): Promise<void> {
    this.#workload = undefined;
    this.batch = undefined;
    await this.clock.during(this.fairway.delete(nodePools, 'general'));
    await this.clock.during(this.fairway.delete(nodePools, ELASTIC_POOL));
    await this.clock.during(this.fairway.delete(clusters, 'demo'));
  }

  /** The remaining resources in the cloud beyond the initial ones. */
  leftovers(): string[] {
    const now = resourceCounts(this.fairway.cloud);
    return Object.keys(now).filter((kind) => now[kind] !== this.#previousCounts[kind]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.budget?.[Symbol.dispose]();
    await this.witness?.[Symbol.asyncDispose]();
    await this.fairway?.[Symbol.asyncDispose]();
  }
}

function isRunning({ vmState, taskState }: CloudServerRow): boolean {
  return vmState === 'active' && taskState === null;
}
