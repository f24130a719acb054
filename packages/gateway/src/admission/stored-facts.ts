import { type EffectiveQuota, effectiveQuota, type QuotaDefaults } from '@fairway/api/domain/project-quota';
import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { isApiError } from '@fairway/kube/object/api-error';
import type { ResourceType } from '@fairway/kube/object/meta';

type Stored<T> = T | Promise<T>;

/** The stored state that admission reads besides the object itself. Objects may be shared and must not be modified. */
export interface StoredFacts {
  plans(): Stored<readonly Plan[]>;
  releases(): Stored<readonly KubernetesRelease[]>;
  clusters(namespace: string): Stored<readonly Cluster[]>;
  /** Clusters in all namespaces. */
  allClusters(): Stored<readonly Cluster[]>;
  nodePools(namespace: string): Stored<readonly NodePool[]>;
  credential(namespace: string, name: string): Stored<CloudCredential | undefined>;
  /** How many objects of a resource the namespace has; absent if the server counts them itself within the write. */
  countOf?(type: ResourceType, namespace: string): Promise<number>;
  /** The quota for the whole namespace. */
  quota(namespace: string): Stored<EffectiveQuota>;
}

/**
 * Reads from the server in this process, which is obtained on first use because the server is constructed with this
 * object.
 */
export function factsInProcess(reader: () => ObjectReader, quotaDefaults?: QuotaDefaults): StoredFacts {
  return {
    plans: () => reader().list(plans),
    releases: () => reader().list(kubernetesReleases),
    clusters: (namespace) => reader().list(clusters, namespace),
    allClusters: () => reader().list(clusters),
    nodePools: (namespace) => reader().list(nodePools, namespace),
    credential: (namespace, name) => reader().get(cloudCredentials, namespace, name),
    quota: (namespace) => effectiveQuota(reader().list(projectQuotas, namespace), quotaDefaults),
  };
}

/**
 * Reads from a management cluster, without a cache: a cache could miss a Plan that was applied right before its
 * Cluster, or a pool that counts towards a limit.
 */
export function factsOverHttp(client: KubeClient, quotaDefaults?: QuotaDefaults): StoredFacts {
  return {
    plans: async () => (await client.resource(plans).list()).items,
    releases: async () => (await client.resource(kubernetesReleases).list()).items,
    clusters: async (namespace) => (await client.resource(clusters).list({ namespace })).items,
    allClusters: async () => (await client.resource(clusters).list()).items,
    nodePools: async (namespace) => (await client.resource(nodePools).list({ namespace })).items,
    // Reads one object and the remaining count: listing them all would cost as much as the load the limit prevents.
    async countOf(type, namespace) {
      const { items, metadata } = await client.metadata(type).list({ namespace, limit: 1 });
      return items.length + (metadata.remainingItemCount ?? 0);
    },
    quota: async (namespace) =>
      effectiveQuota((await client.resource(projectQuotas).list({ namespace })).items, quotaDefaults),
    async credential(namespace, name) {
      try {
        return await client.resource(cloudCredentials).get(name, { namespace });
      } catch (error) {
        if (isApiError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
  };
}
