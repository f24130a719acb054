import { CLUSTER_LABEL } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { ShareFacts } from './pool-share.ts';
import type { ProjectShareFacts } from './project-share.ts';

/** A pool and its limits, from the API server. */
export interface LiveShareFacts extends ShareFacts {
  readonly pool: NodePool;
}

/** What is known about a project's quota without a request to the API server. */
export type KnownQuota = Pick<ProjectShareFacts, 'quota' | 'vcpusOf'>;

/**
 * Undefined if the pool or cluster is deleted or being deleted, in which case nothing may be created. Rejects with the
 * API's error.
 */
export async function readShareFacts(
  client: KubeClient,
  { metadata, spec }: NodePool,
  known: KnownQuota | undefined,
  signal: AbortSignal,
): Promise<LiveShareFacts | undefined> {
  const { clusterName } = spec;
  const { namespace = '' } = metadata;
  const options = { namespace, signal };
  const [cluster, pools, found] = await Promise.all([
    undefinedIfNotFound<Cluster>(client.resource(clusters).get(clusterName, options)),
    client.resource(nodePools).list(options),
    // If the project has a quota, machines in all its clusters count.
    client.resource(machines).list(known ? options : { ...options, labelSelector: `${CLUSTER_LABEL}=${clusterName}` }),
  ]);
  const pool = pools.items.find(({ metadata: { uid } }) => uid === metadata.uid);
  if (pool === undefined || cluster === undefined) return undefined;
  if ((pool.metadata.deletionTimestamp ?? cluster.metadata.deletionTimestamp) !== undefined) return undefined;
  const plan = await undefinedIfNotFound<Plan>(client.resource(plans).get(cluster.spec.plan, { signal }));
  const siblings = pools.items.filter((each) => each.spec.clusterName === clusterName);
  const ofCluster = found.items.filter((each) => each.spec.clusterName === clusterName);
  const project = known && { ...known, pools: pools.items, machines: found.items };
  return { pool, cluster, plan, pools: siblings, machines: ofCluster, project };
}
