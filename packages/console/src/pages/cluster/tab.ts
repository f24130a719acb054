import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';

/** What each view of a cluster gets. */
export interface TabProps {
  readonly cluster: Cluster;
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
}
