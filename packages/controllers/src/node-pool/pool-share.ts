import { ConditionReason } from '@fairway/api/conditions';
import { grantedReplicas } from '@fairway/api/domain/plan-limits';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Problem } from '@fairway/tenancy/problem';
import { isMachineOf } from './machine-owner.ts';

/** A pool's replicas and options within the limits of cluster and plan. */
export interface PoolShare {
  readonly replicas: number;
  readonly floatingIPs: boolean;
  /** Why it is less than the spec. */
  readonly problem: Problem | undefined;
}

export interface ShareFacts {
  readonly cluster: Cluster;
  /** Undefined if it was deleted: then nothing is limited. */
  readonly plan: Plan | undefined;
  /** All pools of the cluster, with the pool itself. */
  readonly pools: readonly NodePool[];
  /** All machines of the cluster. */
  readonly machines: readonly Machine[];
}

/**
 * Enforces limits that admission can't: a webhook checks each write against stored objects, so concurrent writes may all pass.
 * Excess machines are not created; existing ones stay, since a changed plan is no reason to remove nodes.
 */
export function poolShare(pool: NodePool, { cluster, plan, pools, machines }: ShareFacts): PoolShare {
  const wanted = pool.spec.replicas;
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const own = staying.filter((machine) => isMachineOf(pool, machine)).length;
  const maxNodes = plan?.spec.maxNodes ?? Number.POSITIVE_INFINITY;
  // Machines of other pools count too: a younger pool's may have been created before an older one grew.
  const granted = Math.min(grantedReplicas(pool, pools, maxNodes), Math.max(0, maxNodes - (staying.length - own)));
  const replicas = Math.max(granted, Math.min(wanted, own));
  const floatingIPs = pool.spec.floatingIPs.enabled && cluster.spec.network.gateway.mode === 'Router';
  return { replicas, floatingIPs, problem: problemOf(pool, cluster, plan, { replicas, floatingIPs }) };
}

function problemOf(
  { spec }: NodePool,
  cluster: Cluster,
  plan: Plan | undefined,
  { replicas, floatingIPs }: Pick<PoolShare, 'replicas' | 'floatingIPs'>,
): Problem | undefined {
  if (replicas < spec.replicas && plan !== undefined) {
    const message = `spec.replicas: ${spec.replicas}: plan "${plan.metadata.name}" allows ${plan.spec.maxNodes} nodes, and the pools of the cluster ask for more: this one gets ${replicas}, older pools come first; scale pools down, or choose another plan`;
    return { reason: ConditionReason.PlanLimitExceeded, message };
  }
  if (floatingIPs || !spec.floatingIPs.enabled) return undefined;
  const message = `spec.floatingIPs.enabled: true: floating IPs need a router in front of the nodes, and the cluster has gateway mode ${cluster.spec.network.gateway.mode}: set it to Router, or leave floating IPs off`;
  return { reason: ConditionReason.GatewayMissing, message };
}
