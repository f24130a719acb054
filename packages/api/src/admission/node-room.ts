import type { FieldError } from '@fairway/kube/object/field-error';
import { type NodeRoom, type NodeSubnet, nodeRooms, nodesAsked } from '../domain/node-capacity.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';
import { configuredSubnet } from './cluster-subnet.ts';

interface PoolRoom {
  readonly pool: NodePool;
  /** The stored object; undefined on create. */
  readonly old: NodePool | undefined;
  /** The other pools of the namespace. */
  readonly others: readonly NodePool[];
  readonly cluster: Cluster;
  readonly plan: Plan;
  /** The cloud's subnets; absent while unknown or if not needed. */
  readonly subnets?: readonly CatalogueSubnet[] | undefined;
}

/** Rejects nodes for which the cluster has no addresses, for their pods or in their subnet. A pool can always shrink. */
export function poolRoomErrors({ pool, old, others, cluster, plan, subnets }: PoolRoom): FieldError[] {
  const wanted = nodesAsked([pool], plan);
  const before = old ? nodesAsked([old], plan) : { nodes: 0, surge: 0 };
  if (wanted.nodes + wanted.surge <= before.nodes + before.surge) return [];
  const elsewhere = nodesAsked(poolsOf(cluster, others).filter(isAnother(pool)), plan);
  const asked = { nodes: wanted.nodes + elsewhere.nodes, surge: wanted.surge + elsewhere.surge };
  return roomsTooSmall(cluster, plan, asked, subnets).map((room) => {
    const left = Math.max(0, room.nodes - asked.surge - elsewhere.nodes);
    const detail = `${tooMany(room, asked)}: ask for at most ${left} here${elsewhere.nodes === 0 ? '' : ', scale other pools down'}, or ${room.advice}`;
    return { type: 'FieldValueInvalid', field: 'spec.replicas', value: pool.spec.replicas, detail };
  });
}

/** Rejects a cluster without enough addresses for the nodes of its existing pools: pools may be created first. */
export function clusterRoomErrors(
  cluster: Cluster,
  plan: Plan,
  pools: readonly NodePool[],
  subnets?: readonly CatalogueSubnet[],
): FieldError[] {
  const asked = nodesAsked(poolsOf(cluster, pools), plan);
  return roomsTooSmall(cluster, plan, asked, subnets).map((room) => ({
    type: 'FieldValueForbidden',
    field: room.field,
    detail: `${tooMany(room, asked)}: scale them down, or ${room.advice}`,
  }));
}

function roomsTooSmall(
  cluster: Cluster,
  plan: Plan,
  { nodes, surge }: ReturnType<typeof nodesAsked>,
  subnets: readonly CatalogueSubnet[] | undefined,
): NodeRoom[] {
  return nodeRooms(cluster, plan, nodeSubnet(cluster, subnets)).filter((room) => nodes + surge > room.nodes);
}

function tooMany(room: NodeRoom, { nodes, surge }: ReturnType<typeof nodesAsked>): string {
  const renewed = surge === 0 ? '' : `, and ${surge} more during updates`;
  return `${room.of} has room for ${room.nodes} nodes, but the pools of the cluster have ${nodes}${renewed}`;
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

function isAnother({ metadata }: NodePool): (other: NodePool) => boolean {
  return (other) => other.metadata.name !== metadata.name;
}
