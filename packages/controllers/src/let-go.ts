import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf } from '@fairway/kube/client/object-key';
import type { KeyWorker } from '@fairway/kube/controller/key-owner';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { CacheExpectations } from './cache-expectations.ts';

export interface LetGoDependencies {
  readonly cache: { readonly clusters: Informer<Cluster>; readonly machines: Informer<Machine> };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly credentials: ClusterCredentials;
  readonly runtime: ControlPlaneRuntime;
  readonly expectations: CacheExpectations;
  /** What else remembers a cluster, by its identity. */
  readonly forget: (clusterUid: string) => void;
}

/** Drops all that this process holds and knows of clusters that are another's from now on. Their control planes serve on. */
export function clusterReleaser(dependencies: LetGoDependencies): KeyWorker {
  const { cache, clouds, tenants, credentials, runtime, expectations, forget } = dependencies;
  return {
    // The controllers look at them and are waited for; they come before.
    enqueueAll: () => undefined,
    drained: () => Promise.resolve(),
    async letGo(isMatching) {
      const known = cache.clusters.list().filter((cluster) => isMatching(keyOf(cluster)));
      const connected = tenants.connected().filter(({ clusterKey }) => isMatching(clusterKey));
      const uids = new Set([...known.map(identityOf), ...connected.map(({ clusterUid }) => clusterUid)]);
      clouds.letGo(isMatching);
      for (const machine of cache.machines.list()) {
        if (isMatching(clusterKeyOf(machine))) expectations.settle(keyOf(machine));
      }
      for (const uid of uids) {
        tenants.remove(uid);
        credentials.forget(uid);
        forget(uid);
      }
      await Promise.all([...uids].map((uid) => runtime.release(uid)));
    },
  };
}
