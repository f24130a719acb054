import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { boundedPages } from '@fairway/kube/client/bounded-pages';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ForeignProject, requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isServerGone } from '@fairway/tenancy/cloud/server-removal';
import { type TenantNode, tenantNodes, trimNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant, TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { failureOf } from '@fairway/tenancy/reconcile/failure';
import { liveMachinesOf } from '../node-pool/machine-owner.ts';

/** The live state rather than caches, which may lag behind or have a silently dead connection. */
export interface LiveFacts {
  /** Undefined if it is deleted. */
  readonly pool: NodePool | undefined;
  readonly machines: readonly Machine[];
  /** By name; undefined if the cluster did not respond. */
  readonly nodes: ReadonlyMap<string, TenantNode> | undefined;
  /** Why the cluster's API is not reliable. */
  readonly api: Problem | undefined;
  /** Why the cloud is not reliable. */
  readonly cloud: Problem | undefined;
  /** Of the requested servers, those that the cloud confirms not to have. */
  readonly goneServers: ReadonlySet<string>;
}

export interface Questions {
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
export async function confirm(questions: Questions): Promise<LiveFacts> {
  const { client, pool, signal } = questions;
  const { name = '', namespace = '' } = pool.metadata;
  const [found, ofPool, nodes, servers] = await Promise.all([
    undefinedIfNotFound<NodePool>(client.resource(nodePools).get(name, { namespace, signal })),
    liveMachinesOf(client, pool, signal),
    askCluster(questions),
    askCloud(questions),
  ]);
  const isSame = found?.metadata.uid === pool.metadata.uid;
  return { pool: isSame ? found : undefined, machines: ofPool, ...nodes, ...servers };
}

async function askCluster({ tenant, nowMs, signal }: Questions): Promise<Pick<LiveFacts, 'nodes' | 'api'>> {
  if (tenant === undefined) return { nodes: undefined, api: undefined };
  try {
    return { nodes: await ofTenant(nodesByName(tenant, signal)), api: undefined };
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

async function askCloud(questions: Questions): Promise<Pick<LiveFacts, 'cloud' | 'goneServers'>> {
  const { cloud, cluster, serverIDs, nowMs, signal } = questions;
  const goneServers = new Set<string>();
  if (cloud === undefined) return { cloud: undefined, goneServers };
  try {
    await requireOwnProject(cloud, cluster);
    for (const id of serverIDs) {
      if (await isServerGone(cloud, id, { signal })) goneServers.add(id);
    }
    return { cloud: undefined, goneServers };
  } catch (error) {
    if (signal.aborted || !(isOpenStackError(error) || error instanceof ForeignProject)) throw error;
    const { reason, message } = failureOf(error, nowMs);
    return { cloud: { reason, message }, goneServers };
  }
}
