import { CLUSTER_LABEL } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { ListOptions } from '@fairway/kube/client/resource-client';
import type { KubeObject } from '@fairway/kube/object/meta';
import { isAdmin } from '../access/permissions.ts';
import type { Call } from '../http/call.ts';
import { clusterNotFound, MagnumError } from '../http/magnum-error.ts';
import { isUuid } from '../stable-uuid.ts';
import { clusterRecord, DEFAULT_WORKER, poolRecord } from './record.ts';

/** A stored cluster with its pools and machines. */
export interface StoredCluster {
  readonly cluster: Cluster;
  /** Pools, the oldest first. */
  readonly pools: readonly NodePool[];
  /** Machines, if requested. */
  readonly machines: readonly Machine[];
}

export function clusterName(cluster: Cluster): string {
  return clusterRecord(cluster).name ?? cluster.metadata.name ?? '';
}

export function poolName(pool: NodePool): string {
  return poolRecord(pool).name ?? pool.metadata.name ?? '';
}

/** The default nodegroup; undefined if the cluster has none. */
export function defaultPool({ pools }: Pick<StoredCluster, 'pools'>): NodePool | undefined {
  return pools.find((pool) => poolRecord(pool).name === DEFAULT_WORKER) ?? pools[0];
}

/** The nodes of the pool, the oldest first. */
export function machinesOf(
  { machines: allClusters }: Pick<StoredCluster, 'machines'>,
  pool: NodePool,
): readonly Machine[] {
  return allClusters.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid));
}

interface ReadOptions {
  readonly namespace?: string;
  readonly withMachines: boolean;
}

/** All clusters in one namespace or in all namespaces. */
export async function readClusters(
  { client }: Pick<Call, 'client'>,
  { namespace, withMachines }: ReadOptions,
): Promise<readonly StoredCluster[]> {
  const where: ListOptions = namespace === undefined ? {} : { namespace };
  const [found, pools, nodes] = await Promise.all([
    client.resource(clusters).list(where),
    client.resource(nodePools).list(where),
    withMachines ? client.resource(machines).list(where) : { items: [] as Machine[] },
  ]);
  const poolsByCluster = Map.groupBy(pools.items, ({ metadata, spec }) => keyOf(metadata.namespace, spec.clusterName));
  const nodesByCluster = Map.groupBy(nodes.items, ({ metadata }) =>
    keyOf(metadata.namespace, metadata.labels?.[CLUSTER_LABEL]),
  );
  return found.items.map((cluster) => {
    const key = keyOf(cluster.metadata.namespace, cluster.metadata.name);
    return {
      cluster,
      pools: (poolsByCluster.get(key) ?? []).toSorted(byAge),
      machines: (nodesByCluster.get(key) ?? []).toSorted(byAge),
    };
  });
}

/** Clusters that the caller can see: those of their project, or all for an administrator. */
export async function readVisibleClusters(call: Call, withMachines: boolean): Promise<readonly StoredCluster[]> {
  const seesAllProjects = await isAdmin(call.client);
  return readClusters(call, { withMachines, ...(!seesAllProjects && { namespace: call.caller.namespace }) });
}

/** Finds a cluster by UUID or name, with its machines. Throws 404, or 409 for an ambiguous name. */
export async function findCluster(call: Call, ident: string): Promise<StoredCluster> {
  const own = findMatches(await readClusters(call, { namespace: call.caller.namespace, withMachines: true }), ident);
  const found =
    own.length > 0 || !(await isAdmin(call.client))
      ? own
      : findMatches(await readClusters(call, { withMachines: true }), ident);
  const [cluster] = found;
  if (cluster === undefined) throw clusterNotFound(ident.slice(0, 255));
  if (found.length > 1)
    throw new MagnumError(409, 'Multiple clusters exist with same name. Please use the cluster uuid instead.');
  return cluster;
}

function findMatches(allClusters: readonly StoredCluster[], ident: string): readonly StoredCluster[] {
  const matches = ({ cluster }: StoredCluster) =>
    isUuid(ident)
      ? cluster.metadata.uid === ident.toLowerCase()
      : clusterName(cluster) === ident || cluster.metadata.name === ident;
  const found = allClusters.filter(matches);
  const exact = found.filter(({ cluster }) => clusterName(cluster) === ident);
  return exact.length > 0 ? exact : found;
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
