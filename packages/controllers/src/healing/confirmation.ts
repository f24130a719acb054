import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { boundedPages } from '@fairway/kube/client/bounded-pages';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ForeignProjectError, requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isServerDeleted } from '@fairway/tenancy/cloud/server-removal';
import { type TenantNode, tenantNodes, trimNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { failureOf } from '@fairway/tenancy/reconcile/failure';
import { liveMachinesOf } from '../node-pool/machine-owner.ts';

/** The live state rather than caches, which may lag behind, or whose connection may have died unnoticed. */
export interface LiveState {
  /** Undefined if it has been deleted. */
  readonly pool: NodePool | undefined;
  readonly machines: readonly Machine[];
  /** By name; undefined if the cluster did not respond. */
  readonly nodes: ReadonlyMap<string, TenantNode> | undefined;
  /** Why the cluster's API is not reliable. */
  readonly api: Problem | undefined;
  /** Why the cloud is not reliable. */
  readonly cloud: Problem | undefined;
  /** The requested servers that, according to the cloud, do not exist. */
  readonly missingServers: ReadonlySet<string>;
}

export interface ConfirmationQuery {
  readonly client: KubeClient;
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly tenant: TenantCluster | undefined;
  readonly cloud: ProjectCloud | undefined;
  /** Machines that are due for repair. */
  readonly serverIDs: readonly string[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Queries Fairway's API, the cluster and the cloud right before a repair. Rejects only with errors of Fairway's own API. */
export async function confirmState(query: ConfirmationQuery): Promise<LiveState> {
  const { client, pool, signal } = query;
  const { name = '', namespace = '' } = pool.metadata;
  const [found, poolMachines, nodes, servers] = await Promise.all([
    undefinedIfNotFound<NodePool>(client.resource(nodePools).get(name, { namespace, signal })),
    liveMachinesOf(client, pool, signal),
    queryCluster(query),
    queryCloud(query),
  ]);
  const isSame = found?.metadata.uid === pool.metadata.uid;
  return { pool: isSame ? found : undefined, machines: poolMachines, ...nodes, ...servers };
}

async function queryCluster({ tenant, nowMs, signal }: ConfirmationQuery): Promise<Pick<LiveState, 'nodes' | 'api'>> {
  if (tenant === undefined) return { nodes: undefined, api: undefined };
  try {
    return { nodes: await wrapTenantError(nodesByName(tenant, signal)), api: undefined };
  } catch (error) {
    if (signal.aborted || !(error instanceof TenantApiError)) throw error;
    const { reason, message } = failureOf(error, nowMs);
    return { nodes: undefined, api: { reason, message } };
  }
}

async function nodesByName({ client }: TenantCluster, signal: AbortSignal): Promise<ReadonlyMap<string, TenantNode>> {
  const found = new Map<string, TenantNode>();
  for await (const page of boundedPages(client.resource(tenantNodes), { signal })) {
    for (const node of page) found.set(node.metadata.name ?? '', trimNode(node));
  }
  return found;
}

async function queryCloud(query: ConfirmationQuery): Promise<Pick<LiveState, 'cloud' | 'missingServers'>> {
  const { cloud, cluster, serverIDs, nowMs, signal } = query;
  const missingServers = new Set<string>();
  if (cloud === undefined) return { cloud: undefined, missingServers };
  try {
    await requireOwnProject(cloud, cluster);
    for (const id of serverIDs) {
      if (await isServerDeleted(cloud, id, { signal })) missingServers.add(id);
    }
    return { cloud: undefined, missingServers };
  } catch (error) {
    if (signal.aborted || !(isOpenStackError(error) || error instanceof ForeignProjectError)) throw error;
    const { reason, message } = failureOf(error, nowMs);
    return { cloud: { reason, message }, missingServers };
  }
}
