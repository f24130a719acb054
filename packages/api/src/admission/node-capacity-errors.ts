import type { FieldError } from '@fairway/kube/object/field-error';
import { type NodeCapacity, type NodeSubnet, nodeCapacities, requestedNodes } from '../domain/node-capacity.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';
import { configuredSubnet } from './cluster-subnet.ts';

interface PoolCapacityRequest {
  readonly pool: NodePool;
  /** The stored object; undefined on create. */
  readonly old: NodePool | undefined;
  /** The other pools in the namespace. */
  readonly others: readonly NodePool[];
  readonly cluster: Cluster;
  readonly plan: Plan;
  /** The cloud's subnets; absent while unknown or if not needed. */
  readonly subnets?: readonly CatalogueSubnet[] | undefined;
}

/**
 * Rejects nodes for which the cluster does not have enough addresses, either in the nodes' subnet or for their pods. A
 * pool can always shrink.
 */
export function poolCapacityErrors({ pool, old, others, cluster, plan, subnets }: PoolCapacityRequest): FieldError[] {
  const desired = requestedNodes([pool], plan);
  const before = old ? requestedNodes([old], plan) : { nodes: 0, surge: 0 };
  if (desired.nodes + desired.surge <= before.nodes + before.surge) return [];
  const elsewhere = requestedNodes(poolsOf(cluster, others).filter(isOtherThan(pool)), plan);
  const requested = { nodes: desired.nodes + elsewhere.nodes, surge: desired.surge + elsewhere.surge };
  return exceededCapacities(cluster, plan, requested, subnets).map((capacity) => {
    const left = Math.max(0, capacity.nodes - requested.surge - elsewhere.nodes);
    const detail = `${tooMany(capacity, requested)}: ask for at most ${left} here${elsewhere.nodes === 0 ? '' : ', scale other pools down'}, or ${capacity.advice}`;
    return { type: 'FieldValueInvalid', field: 'spec.replicas', value: pool.spec.replicas, detail };
  });
}

/**
 * Rejects a cluster that does not have enough addresses for the nodes in its existing pools, since pools may be created
 * first.
 */
export function clusterCapacityErrors(
  cluster: Cluster,
  plan: Plan,
  pools: readonly NodePool[],
  subnets?: readonly CatalogueSubnet[],
): FieldError[] {
  const requested = requestedNodes(poolsOf(cluster, pools), plan);
  return exceededCapacities(cluster, plan, requested, subnets).map((capacity) => ({
    type: 'FieldValueForbidden',
    field: capacity.field,
    detail: `${tooMany(capacity, requested)}: scale them down, or ${capacity.advice}`,
  }));
}

function exceededCapacities(
  cluster: Cluster,
  plan: Plan,
  { nodes, surge }: ReturnType<typeof requestedNodes>,
  subnets: readonly CatalogueSubnet[] | undefined,
): NodeCapacity[] {
  return nodeCapacities(cluster, plan, nodeSubnet(cluster, subnets)).filter(
    (capacity) => nodes + surge > capacity.nodes,
  );
}

function tooMany(capacity: NodeCapacity, { nodes, surge }: ReturnType<typeof requestedNodes>): string {
  const surgeDetail = surge === 0 ? '' : `, and ${surge} more during updates`;
  return `${capacity.of} has room for ${capacity.nodes} nodes, but the pools of the cluster have ${nodes}${surgeDetail}`;
}

function nodeSubnet(cluster: Cluster, subnets: readonly CatalogueSubnet[] | undefined): NodeSubnet | undefined {
  const subnet = configuredSubnet(cluster, subnets);
  const { loadBalancersSubnetID = subnet?.id } = cluster.spec.network;
  return subnet && { ...subnet, hasLoadBalancers: loadBalancersSubnetID === subnet.id };
}

function poolsOf({ metadata }: Cluster, pools: readonly NodePool[]): NodePool[] {
  return pools.filter(
    (pool) => pool.spec.clusterName === metadata.name && pool.metadata.deletionTimestamp === undefined,
  );
}

function isOtherThan({ metadata }: NodePool): (other: NodePool) => boolean {
  return (other) => other.metadata.name !== metadata.name;
}
