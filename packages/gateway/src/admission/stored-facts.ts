import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { isApiError } from '@fairway/kube/object/api-error';

type Stored<T> = T | Promise<T>;

/** What admission judges by beside the object itself: what is stored now. Objects may be shared: never change one. */
export interface StoredFacts {
  plans(): Stored<readonly Plan[]>;
  releases(): Stored<readonly KubernetesRelease[]>;
  clusters(namespace: string): Stored<readonly Cluster[]>;
  nodePools(namespace: string): Stored<readonly NodePool[]>;
  credential(namespace: string, name: string): Stored<CloudCredential | undefined>;
}

/** Of the server in this process; it is asked for on first use, because the server is made from what is made here. */
export function factsInProcess(reader: () => ObjectReader): StoredFacts {
  return {
    plans: () => reader().list(plans),
    releases: () => reader().list(kubernetesReleases),
    clusters: (namespace) => reader().list(clusters, namespace),
    nodePools: (namespace) => reader().list(nodePools, namespace),
    credential: (namespace, name) => reader().get(cloudCredentials, namespace, name),
  };
}

/**
 * Of a management cluster, read each time: a cache would miss the Plan that was applied right before its Cluster, and count a pool too few
 * for a limit.
 */
export function factsOverHttp(client: KubeClient): StoredFacts {
  return {
    plans: async () => (await client.resource(plans).list()).items,
    releases: async () => (await client.resource(kubernetesReleases).list()).items,
    clusters: async (namespace) => (await client.resource(clusters).list({ namespace })).items,
    nodePools: async (namespace) => (await client.resource(nodePools).list({ namespace })).items,
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
