import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { nodeStartupTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import { type RequiredUpdate, requiredUpdate } from '@fairway/api/domain/required-update';
import { type RolloutLimits, rolloutLimits } from '@fairway/api/domain/rollout-limits';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { isMachineOf } from '../node-pool/machine-owner.ts';
import { poolShare } from '../node-pool/pool-share.ts';
import { compareRolloutOrder } from '../upgrade/pool-upgrade.ts';
import { byPriority, priorityOf, strategyOf } from '../upgrade/reconciler.ts';

export interface OutdatedMachine {
  readonly machine: Machine;
  readonly cause: RequiredUpdate;
}

/** What an upgrade does to a pool. */
export interface PoolUpdate {
  readonly pool: NodePool;
  readonly name: string;
  /** Pools with the same order are updated at the same time; 1 is the first. */
  readonly order: number;
  readonly strategy: 'InPlace' | 'Rolling';
  readonly limits: RolloutLimits;
  /** Nodes at a time, after the first one. */
  readonly width: number;
  /** In the order in which they are updated. */
  readonly outdated: readonly OutdatedMachine[];
  /** Machines that are not being deleted, outdated or not. */
  readonly machines: readonly Machine[];
  /** The maximum number of servers in addition to the current ones. */
  readonly extra: number;
  /** How many more machines the cluster may have. */
  readonly room: number;
  readonly drainTimeoutMs: number | undefined;
  readonly startupTimeoutMs: number;
}

export interface PoolUpdateFacts {
  /** The cluster after the upgrade of its control plane. */
  readonly after: Cluster;
  readonly plan: Plan | undefined;
  /** All pools in the cluster. */
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
}

/** The pools with nodes that an upgrade updates, in order. Pure. */
export function poolUpdates({ after, plan, pools, machines }: PoolUpdateFacts): readonly PoolUpdate[] {
  const orders = new Map<number, number>();
  const renewals: PoolUpdate[] = [];
  for (const pool of pools.filter((each) => !isBeingDeleted(each)).toSorted(byPriority)) {
    const own = machines.filter((machine) => isMachineOf(pool, machine) && !isBeingDeleted(machine));
    const outdated = own.flatMap((machine): OutdatedMachine[] => {
      const cause = requiredUpdate(pool, after, machine.spec);
      return cause === undefined ? [] : [{ machine, cause: cause }];
    });
    if (outdated.length === 0) continue;
    const priority = priorityOf(pool);
    const order = orders.get(priority) ?? orders.size + 1;
    orders.set(priority, order);
    const strategy = strategyOf(pool, plan);
    const share = poolShare(pool, { cluster: after, plan, pools, machines, disallowed: undefined });
    const limits = rolloutLimits(pool, Math.min(share.replicas, targetReplicas(pool)));
    const { maxSurge, maxUnavailable } = limits;
    const inPlace = Math.max(1, maxUnavailable);
    const beside = outdated.filter(({ machine, cause: need }) => isReplaced(machine, need, strategy)).length;
    renewals.push({
      pool,
      name: pool.metadata.name ?? '',
      order,
      strategy,
      limits,
      width: Math.min(strategy === 'InPlace' ? inPlace : Math.max(1, maxSurge + maxUnavailable), outdated.length),
      outdated: outdated.toSorted((a, b) => compareRolloutOrder({ ...a, hold: undefined }, { ...b, hold: undefined })),
      machines: own,
      // A machine that is being deleted keeps its server in the meantime, and so still uses quota.
      extra: Math.min(beside, maxSurge + maxUnavailable),
      room: share.room,
      drainTimeoutMs: drainTimeoutMs(pool.spec, plan?.spec),
      startupTimeoutMs: nodeStartupTimeoutMs(pool.spec, plan?.spec),
    });
  }
  return renewals;
}

/** Whether a new server replaces the machine's. */
export function isReplaced(machine: Machine, cause: RequiredUpdate, strategy: PoolUpdate['strategy']): boolean {
  return strategy === 'Rolling' || cause.change === 'replace' || machine.status?.installed?.canReinstall === false;
}
