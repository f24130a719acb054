import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';

/** Views of a cluster, by the last part of their path; the path of the first view has no such part. */
export const TABS = [
  'overview',
  'access',
  'cloud',
  'addons',
  'version',
  'schedule',
  'events',
  'activity',
  'yaml',
] as const;
export type Tab = (typeof TABS)[number];

/** Props of each view of a cluster. */
export interface TabProps {
  readonly cluster: Cluster;
  /** Undefined while unknown. */
  readonly pools: readonly NodePool[] | undefined;
  readonly machines: readonly Machine[] | undefined;
}
