import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';

/** The owner of a cluster's key owns its pools and machines; undefined for a deleted object. */
export function ownedByCluster(object: NodePool | Machine | undefined): string | undefined {
  return object && clusterKeyOf(object);
}
