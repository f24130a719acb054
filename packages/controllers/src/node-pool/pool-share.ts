import { ConditionReason } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { nodeRooms } from '@fairway/api/domain/node-capacity';
import { grantedReplicas } from '@fairway/api/domain/plan-limits';
import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
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
  /** Why it is less than the spec. */
  readonly problem: Problem | undefined;
}

export interface ShareFacts {
  readonly cluster: Cluster;
  /** Undefined if it was deleted: then nothing is limited. */
  readonly plan: Plan | undefined;
  /** All pools of the cluster, including the pool itself. */
  readonly pools: readonly NodePool[];
  /** All machines of the cluster. */
  readonly machines: readonly Machine[];
  /** Why the plan allows no more machines of this kind; existing ones are retained. */
  readonly disallowed?: Problem | undefined;
  /** The project's limits, and what counts against them; unlimited by default. */
  readonly project?: ProjectShareFacts | undefined;
}

/**
 * Enforces limits that admission cannot: a webhook checks each write against stored objects, so concurrent writes may all pass. Excess
 * machines are not created; existing ones are retained, since a changed plan is no reason to delete nodes.
 */
export function poolShare(pool: NodePool, facts: ShareFacts): PoolShare {
  const { cluster, plan, pools, machines, disallowed, project } = facts;
  const wanted = wantedReplicas(pool, cluster);
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const own = staying.filter((machine) => isMachineOf(pool, machine)).length;
  const limit = plan && nodeLimit(cluster, plan);
  const maxNodes = limit?.nodes ?? Number.POSITIVE_INFINITY;
  // Machines of other pools count too: a younger pool's may have been created before an older one grew.
  const limited = Math.min(grantedReplicas(pool, pools, maxNodes), Math.max(0, maxNodes - (staying.length - own)));
  const ofProject = project && projectShare(pool, project);
  const granted = Math.min(wanted, limited, ofProject?.nodes ?? Number.POSITIVE_INFINITY);
  const replicas = Math.max(disallowed ? 0 : granted, Math.min(wanted, own));
  const { gateway } = cluster.spec.network;
  // The router remains as long as pools have floating IPs: those of running nodes are not removed.
  const hasRouter = gateway.mode === 'Router' || cluster.status?.network?.routerID !== undefined;
  const floatingIPs = pool.spec.floatingIPs.enabled && hasRouter;
  const room = Math.min(maxNodes - staying.length, ofProject?.room ?? Number.POSITIVE_INFINITY);
  return {
    replicas,
    floatingIPs,
    room,
    isAllowed: disallowed === undefined,
    problem: disallowed ?? problemOf(pool, cluster, narrowest(limit, limited, ofProject), replicas, wanted),
  };
}

export interface NodeLimit {
  readonly nodes: number;
  readonly reason: ConditionReason;
  /** `plan "free" allows 100 nodes`. */
  readonly message: string;
  readonly advice: string;
}

/** The narrowest limit of the cluster's nodes. The size of a tenant's subnet is left to Neutron, which has the final say anyway. */
export function nodeLimit(cluster: Cluster, plan: Plan): NodeLimit {
  const { maxNodes } = plan.spec;
  const ofPlan = {
    nodes: maxNodes,
    reason: ConditionReason.PlanLimitExceeded,
    message: `plan "${plan.metadata.name}" allows ${counted(maxNodes, 'node')} per cluster`,
    advice: 'create a cluster with another plan',
  };
  const ofAddresses = nodeRooms(cluster, plan, undefined).map(({ nodes, of, advice }) => {
    return {
      nodes,
      reason: ConditionReason.AddressesExhausted,
      message: `${of} has room for ${counted(nodes, 'node')}`,
      advice,
    };
  });
  return ofAddresses.reduce<NodeLimit>((least, each) => (each.nodes < least.nodes ? each : least), ofPlan);
}

/** The limit that a pool reaches first: the cluster's or the project's. */
function narrowest(
  limit: NodeLimit | undefined,
  limited: number,
  ofProject: ProjectShare | undefined,
): PoolLimit | undefined {
  if (ofProject && ofProject.nodes < limited) return ofProject;
  return limit && { ...limit, who: 'the pools of the cluster' };
}

function problemOf(
  { spec }: NodePool,
  cluster: Cluster,
  limit: PoolLimit | undefined,
  replicas: number,
  wanted: number,
): Problem | undefined {
  if (replicas < wanted && limit !== undefined) {
    const message = `spec.replicas: ${wanted}: ${limit.message}, and ${limit.who} request more: this pool gets ${replicas}, because older pools take precedence; scale down pools, or ${limit.advice}`;
    return { reason: limit.reason, message };
  }
  if (!spec.floatingIPs.enabled) return undefined;
  const { network } = cluster.status ?? {};
  if (cluster.spec.network.gateway.mode === 'Router') {
    if (network?.routerID === undefined || network.externalNetworkID !== undefined) return undefined;
    const way = `openstack router set --external-gateway NETWORK ${network.routerID}`;
    const message = `spec.floatingIPs.enabled: true: floating IPs come from the external network of the nodes' router, and router ${network.routerID} has no external gateway: set it with \`${way}\`, or disable floating IPs`;
    return { reason: ConditionReason.GatewayMissing, message };
  }
  const message = `spec.floatingIPs.enabled: true: floating IPs require a router in front of the nodes, and the cluster has gateway mode ${cluster.spec.network.gateway.mode}: set it to Router, or disable floating IPs`;
  return { reason: ConditionReason.GatewayMissing, message };
}
