import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Event } from '@fairway/kube/kinds/generated/types';

/** Events of the cluster that is there now, of its pools and of its machines, those that are gone included. */
export function ownEvents(events: readonly Event[], cluster: Cluster, pools: readonly NodePool[]): readonly Event[] {
  const { name = '', uid } = cluster.metadata;
  const poolNames = new Set(pools.map(({ metadata }) => metadata.name));
  // Machines are called after their pools, with five characters that tell them apart.
  const prefixes = new Set(
    pools.map(({ metadata: { name: pool = '' } }) => (pool.startsWith(`${name}-`) ? pool : `${name}-${pool}`)),
  );
  return events.filter(({ involvedObject: { kind = '', name: object = '', uid: about } }) => {
    switch (kind) {
      case 'Cluster':
        return object === name && (about === undefined || about === uid);
      case 'NodePool':
        return poolNames.has(object);
      case 'Machine':
        return prefixes.has(object.replace(/-[a-z0-9]{5}$/, ''));
      default:
        return false;
    }
  });
}
