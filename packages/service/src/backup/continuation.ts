import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Archive } from './archive.ts';
import { backedUpKind } from './backed-up-kinds.ts';

/**
 * Whether `current` continues `stored`: they share an object, or one of the clusters in `current` was restored from
 * `stored`. An empty Fairway on a new machine does not continue `stored`: otherwise it would store a newer backup that
 * hides the backup about to be restored.
 */
export function isContinuation(current: Archive, stored: Archive): boolean {
  const storedClusters = stored.objects.filter(isCluster);
  if (storedClusters.length === 0) return true;
  const uids = new Set(stored.objects.map(({ metadata }) => metadata.uid));
  if (current.objects.some(({ metadata }) => uids.has(metadata.uid))) return true;
  const identities = new Set(storedClusters.map(identityOf));
  return current.objects.filter(isCluster).some((cluster) => identities.has(identityOf(cluster)));
}

function isCluster(object: KubeObject): object is Cluster {
  return backedUpKind(object) === clusters;
}
