import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { aRelease } from '@fairway/api/testing/releases';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { holdings } from '../cloud-contents.ts';
import { SteppingClock } from '../stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../test-fairway.ts';
import { MachineWitness } from './machine-witness.ts';
import { TenantWorkload } from './tenant-workload.ts';

/** How often kubelets report and pods are placed. */
const TICK_MS = 30_000;
const PODS = 4;
/** Newest first; near enough to what nodes say that they run. */
export const VERSIONS = ['1.37', '1.36'];

interface ServerRow {
  readonly id: string;
  readonly name: string;
  readonly vmState: string;
  readonly taskState: string | null;
  readonly deletedMs: number | null;
}

/** A Fairway whose users, nodes, cloud and process do as chance wants; all of a seed is the same each time, on a clock of its own. */
export class Walk implements AsyncDisposable {
  readonly random: () => number;
  readonly clock = new SteppingClock();
  readonly log: string[] = [];
  fairway!: TestFairway;
  witness!: MachineWitness;
  #before: Readonly<Record<string, number>> = {};
  #workload: TenantWorkload | undefined;
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
    for (const minor of VERSIONS) {
      await fairway.client
        .resource(kubernetesReleases)
        .delete(minor)
        .catch(() => undefined);
    }
    for (const minor of VERSIONS) await fairway.create(kubernetesReleases, aRelease(minor, {}, [0]));
    await walk.pass(60_000);
    walk.#before = holdings(fairway.cloud);
    walk.witness = await MachineWitness.of(fairway);
    const cluster = await clock.during(fairway.readyCluster({ replicas: 3 }, { version: VERSIONS.at(-1) ?? '' }));
    walk.#workload = await TenantWorkload.start(fairway.runtime.client(identityOf(cluster)), PODS);
    return walk;
  }

  /** Lets time pass for everybody. */
  async pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= TICK_MS) {
      await this.clock.pass(Math.min(TICK_MS, leftMs));
      const running = new Set(
        this.servers()
          .filter(isRunning)
          .map(({ name }) => name),
      );
      await this.clock.during(this.#workload?.tick((name) => running.has(name)) ?? Promise.resolve());
    }
  }

  /** Servers that the cloud has, in order of their names. */
  servers(): readonly ServerRow[] {
    const { servers = [] } = this.fairway.cloud.snapshot() as unknown as Readonly<Record<string, readonly ServerRow[]>>;
    return servers.filter(({ deletedMs }) => deletedMs === null).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  async pool(): Promise<NodePool> {
    return this.clock.during(this.fairway.client.resource(nodePools).get('general', { namespace: TEAM }));
  }

  async cluster(): Promise<Cluster> {
    return this.clock.during(this.fairway.client.resource(clusters).get('demo', { namespace: TEAM }));
  }

  note(text: string): void {
    this.log.push(`${new Date(this.clock.now()).toISOString().slice(11, 19)} ${text}`);
  }

  /** What is not as asked for, when all has come to rest. */
  async unsettled(): Promise<string[]> {
    const [cluster, pool] = [await this.cluster(), await this.pool()];
    const machines = await this.clock.during(this.fairway.machines());
    const { replicas } = pool.spec;
    const wrong: string[] = [];
    const expectSame = (what: string, is: unknown, should: unknown) => {
      if (is !== should) wrong.push(`${what}: ${String(is)}, not ${String(should)}`);
    };
    expectSame('the cluster is ready', isReady(cluster), true);
    expectSame('the pool is ready', isReady(pool), true);
    expectSame('machines', machines.length, replicas);
    expectSame('ready machines', machines.filter(isReady).length, replicas);
    expectSame('servers', this.servers().length, replicas);
    for (const { metadata, spec } of machines)
      expectSame(`version of ${metadata.name}`, spec.version, cluster.status?.version);
    const nodes = await this.#nodes(cluster);
    expectSame(
      'nodes',
      nodes.toSorted().join(),
      machines
        .map(({ metadata }) => metadata.name ?? '')
        .toSorted()
        .join(),
    );
    return wrong;
  }

  async #nodes(cluster: Cluster): Promise<string[]> {
    const { items } = await this.fairway.runtime.client(identityOf(cluster)).resource(tenantNodes).list();
    return items.map(({ metadata }) => metadata.name ?? '');
  }

  /** Deletes everything that a person can delete. */
  async deleteAll(): Promise<void> {
    this.#workload = undefined;
    await this.clock.during(this.fairway.delete(nodePools, 'general'));
    await this.clock.during(this.fairway.delete(clusters, 'demo'));
  }

  /** What is left in the cloud beyond what was there at first. */
  leftovers(): string[] {
    const now = holdings(this.fairway.cloud);
    return Object.keys(now).filter((kind) => now[kind] !== this.#before[kind]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.witness?.[Symbol.asyncDispose]();
    await this.fairway?.[Symbol.asyncDispose]();
  }
}

function isRunning({ vmState, taskState }: ServerRow): boolean {
  return vmState === 'active' && taskState === null;
}
