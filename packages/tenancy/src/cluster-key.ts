import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';

/** Key of the Cluster that a pool or machine is of: `namespace/name`. One cluster is one process's to act on, with all that is its. */
export function clusterKeyOf({ metadata, spec }: NodePool | Machine): string {
  return `${metadata.namespace}/${spec.clusterName}`;
}
