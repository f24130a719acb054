import { ConditionType } from '@fairway/api/conditions';
import { rolloutLimits } from '@fairway/api/domain/rollout-limits';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { isClusterNameMutable } from '@fairway/api/kinds/node-pool-rules';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { machinesByCluster, machinesByPool, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { ClusterMutex } from './cluster-mutex.ts';
import { isMachineOf } from './machine-owner.ts';
import { asTerminating, MachineWriter } from './machine-writer.ts';
import { type DesiredPool, type PoolPlan, planPool, planShrinking } from './pool-plan.ts';
import { type PoolShare, poolShare } from './pool-share.ts';
import type { ProjectQuotas } from './project-quotas.ts';
import { readShareFacts } from './share-facts.ts';

type Dependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'tenants' | 'clock' | 'random'>;

/** The inputs from which machines are created. */
export interface DesiredMachines {
  readonly desired: DesiredMachine;
  readonly serverGroupID: string | undefined;
  /** Why the plan allows no more machines. */
  readonly disallowed: Problem | undefined;
  /** Whether the last creation of machines was rejected. */
  readonly wasCreationRejected: boolean;
}

/** The machines after creations and deletions, and why there are no more. */
export interface ResizeResult {
  readonly machines: readonly Machine[];
  readonly problem: Problem | undefined;
}

/**
 * The Machines of pools, within the limits that pools share. All are created concurrently, and deleted in the order of
 * the api package's `scale-down`.
 */
export class PoolMachines {
  readonly #dependencies: Dependencies;
  readonly #quotas: ProjectQuotas;
  readonly #writer: MachineWriter;
  readonly #mutex = new ClusterMutex();

  constructor(dependencies: Dependencies, quotas: ProjectQuotas) {
    this.#dependencies = dependencies;
    this.#quotas = quotas;
    this.#writer = new MachineWriter(dependencies);
  }

  /** Reads from the cache. */
  of(pool: NodePool): readonly Machine[] {
    return this.#dependencies.cache.machines
      .find(machinesByPool, keyOf(pool))
      .filter((machine) => isMachineOf(pool, machine));
  }

  /** Creates, deletes and updates machines. Resolves with the resulting machines. */
  async resize(
    pool: NodePool,
    cluster: Cluster,
    cloud: ProjectCloud,
    target: DesiredMachines,
    { signal }: Pass,
  ): Promise<ResizeResult> {
    const share = this.shareOf(pool, cluster, cloud, target.disallowed);
    const cached = this.of(pool);
    const plan = planPool(this.#desiredPool(pool, cluster, share, target.desired), cached);
    if (plan.create.length + plan.remove.length > 0 || plan.update.some(({ isReinstall }) => isReinstall)) {
      return this.#mutex.take(this.#mutexKey(pool), () => this.#resizeLocked(pool, cloud, target, signal));
    }
    await this.#update(plan);
    return { machines: cached, problem: share.problem };
  }

  /**
   * The caches may lag, and a surplus machine costs money, so this uses only the API server's state, for all pools that
   * share the plan's limit. Serialised, so that two concurrent pools do not claim the same room.
   */
  async #resizeLocked(
    cached: NodePool,
    cloud: ProjectCloud,
    target: DesiredMachines,
    signal: AbortSignal,
  ): Promise<ResizeResult> {
    const known = this.#quotas.known(cached, cloud);
    const facts = await readShareFacts(this.#dependencies.client, cached, known, signal);
    if (facts === undefined) return { machines: this.of(cached), problem: undefined };
    const { pool, cluster } = facts;
    if (pool.spec.clusterName !== cached.spec.clusterName || isClusterNameMutable(pool)) {
      return { machines: this.of(cached), problem: undefined };
    }
    // Only the newest status shows which machines are from before a reset.
    if (cluster.status?.reset?.emptiedTime !== target.desired.resetTime) {
      return { machines: this.of(cached), problem: undefined };
    }
    const share = poolShare(pool, { ...facts, disallowed: target.disallowed });
    const current = facts.machines.filter((machine) => isMachineOf(pool, machine));
    const plan = planPool(this.#desiredPool(pool, cluster, share, target.desired), current);
    const create = async ({ zone }: PoolPlan['create'][number]) => {
      const { desired, serverGroupID } = target;
      const { zones: _zones, flavorIdentifiers: _spellings, ...template } = desired;
      const machine = await this.#writer.create({ pool, cluster, template, serverGroupID, zone }, signal);
      cloud.recordNew(identityOf(machine));
      return machine;
    };
    // Deletions free room, so with maxSurge 0 there is never a surplus.
    await Promise.all(plan.remove.map((machine) => this.#remove(pool, machine, plan)));
    // If the last creation was rejected, a single one is attempted before all others.
    const [first, ...others] = plan.create;
    const created = first && target.wasCreationRejected ? [await create(first)] : [];
    created.push(...(await waitForAll((target.wasCreationRejected ? others : plan.create).map(create))));
    await this.#update(plan);
    return { machines: [...this.#excluding(current, plan.remove), ...created], problem: share.problem };
  }

  /** A pool scales down even if its template cannot be resolved. Resolves with the resulting machines. */
  async shrink(cached: NodePool, cluster: Cluster, { signal }: Pass): Promise<readonly Machine[]> {
    const known = this.of(cached);
    const sizeOf = (pool: NodePool, { replicas }: PoolShare) => ({ replicas, limits: rolloutLimits(pool, replicas) });
    if (planShrinking(sizeOf(cached, this.shareOf(cached, cluster)), known).length === 0) return known;
    return this.#mutex.take(clusterKeyOf(cached), async () => {
      const facts = await readShareFacts(this.#dependencies.client, cached, undefined, signal);
      if (facts === undefined) return known;
      const { pool } = facts;
      const current = facts.machines.filter((machine) => isMachineOf(pool, machine));
      const excessMachines = planShrinking(sizeOf(pool, poolShare(pool, facts)), current);
      await this.delete(excessMachines);
      return this.#excluding(current, excessMachines);
    });
  }

  /** Pools that share a limit are processed one after another. */
  #mutexKey(pool: NodePool): string {
    return this.#quotas.limitsNodes(pool) ? `${pool.metadata.namespace}/` : clusterKeyOf(pool);
  }

  /** The machines after some deletions have started: they exist until their servers are deleted. */
  #excluding(machines: readonly Machine[], removed: readonly Machine[]): readonly Machine[] {
    const nowMs = this.#dependencies.clock.now();
    return machines.map((machine) => (removed.includes(machine) ? asTerminating(machine, nowMs) : machine));
  }

  /** Deletes the machine. First records that the drain may wait, so that a crash in between loses only this record. */
  async #remove({ spec }: NodePool, machine: Machine, { renewed }: PoolPlan): Promise<void> {
    const isHeld = spec.upgradeStrategy.onDrainTimeout === 'Hold' && renewed.includes(machine);
    const onDrainTimeout = isHeld ? 'Hold' : 'Force';
    // Absent means Force; a Hold may be left over from a cancelled update.
    if (onDrainTimeout !== (machine.spec.onDrainTimeout ?? 'Force'))
      await this.#writer.update(machine, { onDrainTimeout });
    await this.#writer.delete(machine);
  }

  async #update(plan: PoolPlan): Promise<void> {
    await Promise.all(plan.update.map(({ machine, spec }) => this.#writer.update(machine, spec)));
  }

  #desiredPool(
    pool: NodePool,
    cluster: Cluster,
    { replicas, room, isAllowed }: PoolShare,
    desired: DesiredMachine,
  ): DesiredPool {
    const isConnected = this.#dependencies.tenants.get(identityOf(cluster)) !== undefined;
    const isUpdatePossible =
      isConnected && isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    const isReinstalledAfterReset = cluster.status?.reset?.nodes === 'Reinstall';
    const limits = rolloutLimits(pool, replicas);
    return { replicas, desired, limits, room, isUpdatePossible, isAllowed, isReinstalledAfterReset };
  }

  /** Rejects with the API's error; may be repeated. */
  async delete(machines: readonly Machine[]): Promise<void> {
    await Promise.all(machines.map((machine) => this.#writer.delete(machine)));
  }

  /** The pool's share within the limits of cluster, plan and project, from the caches. */
  shareOf(pool: NodePool, cluster: Cluster, cloud?: ProjectCloud, disallowed?: Problem): PoolShare {
    const { cache } = this.#dependencies;
    const key = clusterKeyOf(pool);
    return poolShare(pool, {
      cluster,
      plan: cache.plans.get(cluster.spec.plan),
      pools: cache.nodePools.find(poolsByCluster, key),
      machines: cache.machines.find(machinesByCluster, key),
      disallowed,
      project: cloud && this.#quotas.shareFacts(pool, cloud),
    });
  }
}

/** Like Promise.all, but rejects only once nothing is in progress. */
async function waitForAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
