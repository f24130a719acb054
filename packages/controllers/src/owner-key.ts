import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';

/** Whoever owns a cluster's key owns its pools and machines; undefined for one that does not exist any more. */
export function ownedByCluster(object: NodePool | Machine | undefined): string | undefined {
  return object && clusterKeyOf(object);
}
