import { ConditionReason } from '@fairway/api/conditions';
import { nodeCapacities } from '@fairway/api/domain/node-capacity';
import { grantedReplicas } from '@fairway/api/domain/plan-limits';
import { pluralize } from '@fairway/api/domain/pluralize';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Problem } from '@fairway/tenancy/problem';
import { isMachineOf } from './machine-owner.ts';
import { type PoolLimit, type ProjectShare, type ProjectShareFacts, projectShare } from './project-share.ts';

/** A pool's replicas and options within the limits of cluster and plan. */
export interface PoolShare {
  readonly replicas: number;
  readonly floatingIPs: boolean;
  /** How many more machines the cluster may have, in any pool; negative if it has too many. */
  readonly room: number;
  /** Whether the plan allows more machines of this kind. */
  readonly isAllowed: boolean;
  /** Why the pool has less than its spec requests. */
  readonly problem: Problem | undefined;
}

export interface ShareFacts {
  readonly cluster: Cluster;
  /** Undefined if the plan was deleted, in which case nothing is limited. */
  readonly plan: Plan | undefined;
  /** All pools in the cluster, including the pool itself. */
  readonly pools: readonly NodePool[];
  /** All machines in the cluster. */
  readonly machines: readonly Machine[];
  /** Why the plan allows no more machines of this kind; existing machines are retained. */
  readonly disallowed?: Problem | undefined;
  /** The project's limits, and the usage that counts against them; unlimited by default. */
  readonly project?: ProjectShareFacts | undefined;
}

/**
 * Enforces limits that admission cannot: a webhook checks each write against stored objects, so concurrent writes may
 * all pass. Excess machines are not created; existing ones are retained, because a changed plan is no reason to delete
 * nodes.
 */
export function poolShare(pool: NodePool, facts: ShareFacts): PoolShare {
  const { cluster, plan, pools, machines, disallowed, project } = facts;
  const desiredReplicas = targetReplicas(pool, cluster);
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const own = staying.filter((machine) => isMachineOf(pool, machine)).length;
  const limit = plan && nodeLimit(cluster, plan);
  const maxNodes = limit?.nodes ?? Number.POSITIVE_INFINITY;
  // Machines in other pools count too: those in a newer pool may have been created before an older pool grew.
  const limitedReplicas = Math.min(
    grantedReplicas(pool, pools, maxNodes),
    Math.max(0, maxNodes - (staying.length - own)),
  );
  const projectLimit = project && projectShare(pool, project);
  const granted = Math.min(desiredReplicas, limitedReplicas, projectLimit?.nodes ?? Number.POSITIVE_INFINITY);
  const replicas = Math.max(disallowed ? 0 : granted, Math.min(desiredReplicas, own));
  const { gateway } = cluster.spec.network;
  // The router stays as long as pools have floating IPs, so the floating IPs of running nodes are not removed.
  const hasRouter = gateway.mode === 'Router' || cluster.status?.network?.routerID !== undefined;
  const floatingIPs = pool.spec.floatingIPs.enabled && hasRouter;
  const room = Math.min(maxNodes - staying.length, projectLimit?.room ?? Number.POSITIVE_INFINITY);
  return {
    replicas,
    floatingIPs,
    room,
    isAllowed: disallowed === undefined,
    problem:
      disallowed ??
      problemOf(pool, cluster, narrowest(limit, limitedReplicas, projectLimit), replicas, desiredReplicas),
  };
}

export interface NodeLimit {
  readonly nodes: number;
  readonly reason: ConditionReason;
  /** `plan "free" allows 100 nodes`. */
  readonly message: string;
  readonly advice: string;
}

/**
 * The lowest limit for the cluster's nodes. The size of a tenant's subnet is not checked here: Neutron enforces it.
 */
export function nodeLimit(cluster: Cluster, plan: Plan): NodeLimit {
  const { maxNodes } = plan.spec;
  const planLimit = {
    nodes: maxNodes,
    reason: ConditionReason.PlanLimitExceeded,
    message: `plan "${plan.metadata.name}" allows ${pluralize(maxNodes, 'node')} per cluster`,
    advice: 'create a cluster with another plan',
  };
  const addressLimits = nodeCapacities(cluster, plan, undefined).map(({ nodes, of, advice }) => {
    return {
      nodes,
      reason: ConditionReason.AddressesExhausted,
      message: `${of} has room for ${pluralize(nodes, 'node')}`,
      advice,
    };
  });
  return addressLimits.reduce<NodeLimit>((lowest, each) => (each.nodes < lowest.nodes ? each : lowest), planLimit);
}

/** The limit that a pool reaches first: the cluster's or the project's. */
function narrowest(
  limit: NodeLimit | undefined,
  limitedReplicas: number,
  projectLimit: ProjectShare | undefined,
): PoolLimit | undefined {
  if (projectLimit && projectLimit.nodes < limitedReplicas) return projectLimit;
  return limit && { ...limit, who: 'the pools of the cluster' };
}

function problemOf(
  { spec }: NodePool,
  cluster: Cluster,
  limit: PoolLimit | undefined,
  replicas: number,
  desiredReplicas: number,
): Problem | undefined {
  if (replicas < desiredReplicas && limit !== undefined) {
    const message = `spec.replicas: ${desiredReplicas}: ${limit.message}, and ${limit.who} request more: this pool gets ${replicas}, because older pools take precedence; scale down pools, or ${limit.advice}`;
    return { reason: limit.reason, message };
  }
  if (!spec.floatingIPs.enabled) return undefined;
  const { network } = cluster.status ?? {};
  if (cluster.spec.network.gateway.mode === 'Router') {
    if (network?.routerID === undefined || network.externalNetworkID !== undefined) return undefined;
    const advice = `openstack router set --external-gateway NETWORK ${network.routerID}`;
    const message = `spec.floatingIPs.enabled: true: floating IPs come from the external network of the nodes' router, and router ${network.routerID} has no external gateway: set it with \`${advice}\`, or disable floating IPs`;
    return { reason: ConditionReason.GatewayMissing, message };
  }
  const message = `spec.floatingIPs.enabled: true: floating IPs require a router in front of the nodes, and the cluster has gateway mode ${cluster.spec.network.gateway.mode}: set it to Router, or disable floating IPs`;
  return { reason: ConditionReason.GatewayMissing, message };
}
