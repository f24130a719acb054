import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';

/**
 * Key of the Cluster that a pool or machine belongs to: `namespace/name`. A cluster and its objects are owned by one
 * process at a time.
 */
export function clusterKeyOf({ metadata, spec }: NodePool | Machine): string {
  return `${metadata.namespace}/${spec.clusterName}`;
}
