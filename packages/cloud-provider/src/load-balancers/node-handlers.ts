import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { inClusterLimits } from '@fairway/api/limits/in-cluster';
import { isPaused } from '@fairway/api/pause';
import { watch } from '@fairway/kube/controller/declaration';
import { clustersByIdentity, clustersByPlan } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies } from '../dependencies.ts';

/** Keys of objects in a cluster that have or need a load balancer; empty if the cluster is not connected. */
type KeysOf = (tenant: TenantCluster | undefined) => readonly string[];

/** Fairway objects that determine the load balancers of a cluster and their members. */
export function loadBalancerWatches({ cache, tenants }: CloudProviderDependencies, keysOf: KeysOf) {
  const keysOfCluster = (cluster: Cluster | undefined) => keysOf(cluster && tenants.get(identityOf(cluster)));
  return [
    watch(cache.clusters, keysOfCluster, {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) ||
        old.spec.credentialName !== cluster.spec.credentialName ||
        old.spec.plan !== cluster.spec.plan ||
        !isDeepStrictEqual(old.status?.network, cluster.status?.network),
    }),
    watch(cache.machines, (machine) => keysOfCluster(cache.clusters.get(clusterKeyOf(machine))), {
      isRelevant: (old, machine) => old.status?.serverID !== machine.status?.serverID,
    }),
    watch(
      cache.plans,
      ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').flatMap(keysOfCluster),
      { isRelevant: (old, plan) => !isDeepStrictEqual(inClusterLimits(old.spec), inClusterLimits(plan.spec)) },
    ),
  ];
}

/** Watches servers. */
export function watchServers(
  { cache, clouds, tenants }: CloudProviderDependencies,
  keysOf: KeysOf,
  enqueue: (key: string) => void,
): void {
  clouds.onProject((cloud) =>
    cloud.cache.servers.subscribe(({ added, changed, removed }) => {
      const uids = new Set([...added, ...changed, ...removed].map((server) => serverOwner(server)?.clusterUid));
      for (const uid of uids) {
        const [cluster] = uid === undefined ? [] : cache.clusters.find(clustersByIdentity, uid);
        for (const key of keysOf(cluster && tenants.get(identityOf(cluster)))) enqueue(key);
      }
    }),
  );
}

/** Watches nodes and the objects that determine whether they are members. */
export function watchNodes({ nodes }: TenantCluster, changed: () => void): void {
  nodes.addHandler({
    onAdd: changed,
    onUpdate: (old, node) => {
      if (!isDeepStrictEqual(memberFieldsOf(old), memberFieldsOf(node))) changed();
    },
    onDelete: changed,
  });
}

/**
 * Drops a cluster's state and stops listing its load balancers when the cluster is deleted or handed over to another
 * replica.
 */
export function onTenantEnd({ signal }: TenantCluster, onEnd: () => void): void {
  signal.addEventListener('abort', onEnd, { once: true });
}

function memberFieldsOf({ metadata, spec }: TenantNode) {
  const { labels, deletionTimestamp } = metadata;
  return { labels, deletionTimestamp, taints: spec?.taints?.map(({ key }) => key) };
}
