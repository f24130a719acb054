import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';
import { isHibernating } from './hibernate.ts';

/** What a user who opens a cluster's page most likely wants to do. */
export type MainAction = 'access' | 'addPool' | 'wake' | 'events';

const ACTION_BY_PHASE: Readonly<Record<ClusterPhase, MainAction>> = {
  Pending: 'events',
  Provisioning: 'events',
  Ready: 'access',
  Updating: 'access',
  Hibernating: 'wake',
  Hibernated: 'wake',
  Waking: 'events',
  Resetting: 'events',
  Degraded: 'access',
  Failed: 'events',
  Deleting: 'events',
};

/** `pools`: the number of pools; undefined while unknown. */
export function mainAction(cluster: Cluster, pools: number | undefined): MainAction {
  if (cluster.metadata.deletionTimestamp !== undefined) return 'events';
  if (isHibernating(cluster)) return 'wake';
  // A newer server may report phases that this console does not recognise.
  const action: MainAction | undefined = ACTION_BY_PHASE[cluster.status?.phase ?? 'Pending'];
  return action === 'access' && pools === 0 ? 'addPool' : (action ?? 'events');
}
