import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ForeignProject, requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant, TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { failureOf } from '@fairway/tenancy/reconcile/failure';
import { liveMachinesOf } from '../node-pool/machine-owner.ts';

/** What there is now, rather than in caches: they may be a moment behind, or their connection dead without a word. */
export interface LiveFacts {
  /** Undefined if it is gone. */
  readonly pool: NodePool | undefined;
  readonly machines: readonly Machine[];
  /** By name; undefined if the cluster did not answer. */
  readonly nodes: ReadonlyMap<string, TenantNode> | undefined;
  /** Why the cluster's API can't be relied on. */
  readonly api: Problem | undefined;
  /** Why the cloud can't. */
  readonly cloud: Problem | undefined;
  /** Of the asked ones: servers that the cloud does not have, as it says itself. */
  readonly goneServers: ReadonlySet<string>;
}

export interface Questions {
  readonly client: KubeClient;
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly tenant: TenantCluster | undefined;
  readonly cloud: ProjectCloud | undefined;
  /** Of the machines that are to be repaired. */
  readonly serverIDs: readonly string[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Asks all who have a say in a repair, right before it. Rejects with the error of Fairway's own API alone. */
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
    const { items } = await ofTenant(tenant.client.resource(tenantNodes).list({ signal }));
    return { nodes: new Map(items.map((node) => [node.metadata.name ?? '', node])), api: undefined };
  } catch (error) {
    if (signal.aborted || !(error instanceof TenantApiError)) throw error;
    const { reason, message } = failureOf(error, nowMs);
    return { nodes: undefined, api: { reason, message } };
  }
}

async function askCloud(questions: Questions): Promise<Pick<LiveFacts, 'cloud' | 'goneServers'>> {
  const { cloud, cluster, serverIDs, nowMs, signal } = questions;
  const goneServers = new Set<string>();
  if (cloud === undefined) return { cloud: undefined, goneServers };
  try {
    await requireOwnProject(cloud, cluster);
    for (const id of serverIDs) {
      const server = await ignoreNotFound(cloud.client.compute.servers.get(id, { signal }));
      if (server === undefined) goneServers.add(id);
    }
    return { cloud: undefined, goneServers };
  } catch (error) {
    if (signal.aborted || !(isOpenStackError(error) || error instanceof ForeignProject)) throw error;
    const { reason, message } = failureOf(error, nowMs);
    return { cloud: { reason, message }, goneServers };
  }
}
