import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Event } from '@fairway/kube/kinds/generated/types';

/** Events for the current cluster, its pools and its machines, including deleted ones. */
export function clusterEvents(
  events: readonly Event[],
  cluster: Cluster,
  pools: readonly NodePool[],
): readonly Event[] {
  const { name = '', uid } = cluster.metadata;
  const poolNames = new Set(pools.map(({ metadata }) => metadata.name));
  // Machine names consist of the pool's name and a suffix of five characters.
  const prefixes = new Set(
    pools.map(({ metadata: { name: pool = '' } }) => (pool.startsWith(`${name}-`) ? pool : `${name}-${pool}`)),
  );
  return events.filter(({ involvedObject: { kind = '', name: object = '', uid: objectUid } }) => {
    switch (kind) {
      case 'Cluster':
        return object === name && (objectUid === undefined || objectUid === uid);
      case 'NodePool':
        return poolNames.has(object);
      case 'Machine':
        return prefixes.has(object.replace(/-[a-z0-9]{5}$/, ''));
      default:
        return false;
    }
  });
}
