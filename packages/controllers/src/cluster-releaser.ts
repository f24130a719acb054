import { identityOf } from '@fairway/api/identity';
import { keyOf } from '@fairway/kube/client/object-key';
import type { KeyWorker } from '@fairway/kube/controller/key-owner';
import type { ControllerDependencies } from './dependencies.ts';

/** Drops shared state of clusters that another process has taken over. Their control planes keep running. */
export function clusterReleaser(shared: ControllerDependencies): KeyWorker {
  const { cache, clouds, tenants, credentials, runtime } = shared;
  return {
    // The controllers enqueue and drain keys themselves, and are registered earlier.
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
