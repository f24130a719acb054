import { identityOf } from '@fairway/api/identity';
import { keyOf } from '@fairway/kube/client/object-key';
import type { KeyWorker } from '@fairway/kube/controller/key-owner';
import type { ControllerDependencies } from './dependencies.ts';

/** Drops what controllers share of clusters that are another process's from now on. Their control planes serve on. */
export function clusterReleaser(shared: ControllerDependencies): KeyWorker {
  const { cache, clouds, tenants, credentials, runtime } = shared;
  return {
    // The controllers look at them and are waited for; they come before.
    enqueueAll: () => undefined,
    drained: () => Promise.resolve(),
    async release(isMatching) {
      const known = cache.clusters.list().filter((cluster) => isMatching(keyOf(cluster)));
      const connected = tenants.connected().filter(({ clusterKey }) => isMatching(clusterKey));
      const uids = new Set([...known.map(identityOf), ...connected.map(({ clusterUid }) => clusterUid)]);
      clouds.release(isMatching);
      for (const uid of uids) {
        tenants.remove(uid);
        credentials.forget(uid);
      }
      await Promise.all([...uids].map((uid) => runtime.release(uid)));
    },
  };
}
