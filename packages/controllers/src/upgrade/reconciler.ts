import { isDeepStrictEqual } from 'node:util';
import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { forcedUpdateGate } from '@fairway/api/domain/forced-gate';
import { maintenanceGate, nextMaintenanceChangeMs, specChangeGate } from '@fairway/api/domain/maintenance-gate';
import { nodeStartupTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import { rolloutLimits } from '@fairway/api/domain/rollout-limits';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { RenewalMark } from '@fairway/api/kinds/machine-marks';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import type { Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { isMachineOf } from '../node-pool/machine-owner.ts';
import { poolShare } from '../node-pool/pool-share.ts';
import { writeStatus } from '../status-writer.ts';
import { recordPoolUpgradeEvents, recordUpdateEvent } from './events.ts';
import { clusterHold, type Hold } from './hold.ts';
import type { UpgradeMetrics } from './metrics.ts';
import { type PoolUpgradePlan, planUpgrade } from './pool-upgrade.ts';
import { isUnderWay } from './progress.ts';

interface UpgradeDependencies
  extends Pick<ControllerDependencies, 'client' | 'cache' | 'tenants' | 'events' | 'clock'> {
  readonly metrics?: UpgradeMetrics | undefined;
}

/** Timers are limited to 24 days. */
const MAX_WAIT_MS = 86_400_000;

/**
 * Marks the machines in a cluster that do not match their pool's spec: those to update next, and what the others are
 * waiting for. The node pool controller acts on the marks; this controller creates, changes and deletes nothing.
 */
export class UpgradeReconciler {
  readonly #dependencies: UpgradeDependencies;

  constructor(dependencies: UpgradeDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` identifies a Cluster. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clock, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (cluster === undefined || isBeingDeleted(cluster) || isPaused(cluster)) return {};
    const isConnected = tenants.get(identityOf(cluster)) !== undefined;
    // A process that has just started is about to connect, and will enqueue this key again.
    if (!isConnected && isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady)) return {};
    const pass = new Pass(context, clock);
    const nowMs = clock.now();
    const pools = cache.nodePools.find(poolsByCluster, key).filter((pool) => !isBeingDeleted(pool));
    /** What pools with a lower priority are waiting for. */
    let first: NodePool | undefined;
    for (const pool of pools.toSorted(byPriority)) {
      const isLater = first !== undefined && priorityOf(first) > priorityOf(pool);
      const plan = this.#plan(cluster, pool, isLater && first ? behind(first) : undefined, nowMs);
      if (first === undefined && isUnderWay(plan.upgrade)) first = pool;
      if (plan.requeueAtMs !== undefined)
        pass.requeueAfter(Math.min(Math.max(plan.requeueAtMs - nowMs, 0) + 1, MAX_WAIT_MS));
      if (!isPaused(pool)) await pass.run(() => this.#write(pool, plan));
    }
    const gate = forcedUpdateGate(cluster, nowMs);
    for (const changeMs of [nextMaintenanceChangeMs(cluster, nowMs), gate.isOpen ? undefined : gate.opensAtMs]) {
      if (changeMs !== undefined && first !== undefined) pass.requeueAfter(Math.min(changeMs - nowMs + 1, MAX_WAIT_MS));
    }
    return pass.end();
  }

  #plan(cluster: Cluster, pool: NodePool, order: Hold | undefined, nowMs: number): PoolUpgradePlan {
    const { cache, tenants } = this.#dependencies;
    const key = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
    const plan = cache.plans.get(cluster.spec.plan);
    const all = cache.machines.find(machinesByCluster, key);
    const pools = cache.nodePools.find(poolsByCluster, key);
    const share = poolShare(pool, { cluster, plan, pools, machines: all, disallowed: undefined });
    const replicas = Math.min(share.replicas, targetReplicas(pool));
    return planUpgrade({
      cluster,
      pool,
      machines: all.filter((machine) => isMachineOf(pool, machine)),
      replicas,
      strategy: strategyOf(pool, plan),
      limits: rolloutLimits(pool, replicas),
      room: share.room,
      hold: clusterHold(cluster, tenants.get(identityOf(cluster)) !== undefined) ?? order,
      hasWindow: cluster.spec.maintenance?.window !== undefined,
      asked: closed(specChangeGate(cluster, nowMs), cluster),
      automatic: closed(maintenanceGate(cluster, nowMs), cluster),
      forced: closed(forcedUpdateGate(cluster, nowMs), cluster),
      startupTimeoutMs: nodeStartupTimeoutMs(pool.spec, plan?.spec),
      nowMs,
    });
  }

  async #write(pool: NodePool, { marks, upgrade }: PoolUpgradePlan): Promise<void> {
    const { client, clock, events, metrics } = this.#dependencies;
    if (upgrade && !isDeepStrictEqual(upgrade, pool.status?.upgrade)) {
      await writeStatus(client.resource(nodePools), pool, { ...pool.status, upgrade });
      recordPoolUpgradeEvents(events, pool, upgrade);
      metrics?.changed(pool.status?.upgrade, upgrade, clock.now());
    }
    for (const [machine, mark] of marks) await this.#mark(machine, mark);
  }

  async #mark(machine: Machine, renewal: RenewalMark | undefined): Promise<void> {
    const { renewal: _, ...others } = machine.status?.marks ?? {};
    if (renewal === undefined && machine.status?.marks?.renewal === undefined) return;
    const marks = renewal === undefined ? others : { ...others, renewal };
    const { client, events } = this.#dependencies;
    await writeStatus(client.resource(machines), machine, { ...machine.status, marks });
    if (renewal) recordUpdateEvent(events, machine, renewal);
  }
}

export function strategyOf({ spec }: NodePool, plan: Plan | undefined): 'InPlace' | 'Rolling' {
  return spec.upgradeStrategy.type ?? plan?.spec.upgradeStrategy ?? 'Rolling';
}

export function closed(gate: ReturnType<typeof maintenanceGate>, { metadata }: Cluster): Problem | undefined {
  if (gate.isOpen) return undefined;
  const message = `waiting for the maintenance window, which opens at ${formatTime(gate.opensAtMs)} (to start now: fairway cluster maintain ${metadata.name})`;
  return { reason: ConditionReason.WaitingForMaintenanceWindow, message };
}

function behind({ metadata, spec }: NodePool): Hold {
  const message = `pool ${metadata.name} is updated first: its spec.upgradeStrategy.priority is ${spec.upgradeStrategy.priority}`;
  return { kind: 'Finish', reason: ConditionReason.WaitingForPools, message };
}

export function byPriority(a: NodePool, b: NodePool): number {
  return priorityOf(b) - priorityOf(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}

/** Pools from earlier releases have no priority. */
export function priorityOf({ spec }: NodePool): number {
  return spec.upgradeStrategy.priority ?? 0;
}
