import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { nodeStartupTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import { type RenewalLimits, renewalLimits } from '@fairway/api/domain/renewal-limits';
import { type RenewalNeed, renewalNeed } from '@fairway/api/domain/renewal-need';
import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { isMachineOf } from '../node-pool/machine-owner.ts';
import { poolShare } from '../node-pool/pool-share.ts';
import { byTurn } from '../upgrade/pool-upgrade.ts';
import { byPriority, priorityOf, strategyOf } from '../upgrade/reconciler.ts';

export interface Renewed {
  readonly machine: Machine;
  readonly need: RenewalNeed;
}

/** What an upgrade does to a pool. */
export interface PoolRenewal {
  readonly pool: NodePool;
  readonly name: string;
  /** Pools of the same order are updated at the same time; 1 is the first. */
  readonly order: number;
  readonly strategy: 'InPlace' | 'Rolling';
  readonly limits: RenewalLimits;
  /** Nodes at a time, after the first one. */
  readonly width: number;
  /** In the order in which they are updated. */
  readonly outdated: readonly Renewed[];
  /** Machines that are not deleted, outdated or not. */
  readonly machines: readonly Machine[];
  /** The maximum number of servers in addition to the current ones. */
  readonly extra: number;
  /** How many more machines the cluster may have. */
  readonly room: number;
  readonly drainTimeoutMs: number | undefined;
  readonly startupTimeoutMs: number;
}

export interface RenewalFacts {
  /** The cluster after the upgrade of its control plane. */
  readonly after: Cluster;
  readonly plan: Plan | undefined;
  /** All of the cluster. */
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
}

/** The pools with nodes that an upgrade updates, in order. Pure. */
export function poolRenewals({ after, plan, pools, machines }: RenewalFacts): readonly PoolRenewal[] {
  const orders = new Map<number, number>();
  const renewals: PoolRenewal[] = [];
  for (const pool of pools.filter((each) => !isBeingDeleted(each)).toSorted(byPriority)) {
    const own = machines.filter((machine) => isMachineOf(pool, machine) && !isBeingDeleted(machine));
    const outdated = own.flatMap((machine): Renewed[] => {
      const need = renewalNeed(pool, after, machine.spec);
      return need === undefined ? [] : [{ machine, need }];
    });
    if (outdated.length === 0) continue;
    const priority = priorityOf(pool);
    const order = orders.get(priority) ?? orders.size + 1;
    orders.set(priority, order);
    const strategy = strategyOf(pool, plan);
    const share = poolShare(pool, { cluster: after, plan, pools, machines, disallowed: undefined });
    const limits = renewalLimits(pool, Math.min(share.replicas, wantedReplicas(pool)));
    const { maxSurge, maxUnavailable } = limits;
    const inPlace = Math.max(1, maxUnavailable);
    const beside = outdated.filter(({ machine, need }) => isReplaced(machine, need, strategy)).length;
    renewals.push({
      pool,
      name: pool.metadata.name ?? '',
      order,
      strategy,
      limits,
      width: Math.min(strategy === 'InPlace' ? inPlace : Math.max(1, maxSurge + maxUnavailable), outdated.length),
      outdated: outdated.toSorted((a, b) => byTurn({ ...a, hold: undefined }, { ...b, hold: undefined })),
      machines: own,
      // A machine that is being deleted has its server until it is gone.
      extra: Math.min(beside, maxSurge + maxUnavailable),
      room: share.room,
      drainTimeoutMs: drainTimeoutMs(pool.spec, plan?.spec),
      startupTimeoutMs: nodeStartupTimeoutMs(pool.spec, plan?.spec),
    });
  }
  return renewals;
}

/** Whether a new server replaces it. */
export function isReplaced(machine: Machine, need: RenewalNeed, strategy: PoolRenewal['strategy']): boolean {
  return strategy === 'Rolling' || need.change === 'replace' || machine.status?.installed?.canReinstall === false;
}
