import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';
import { isHibernating } from './hibernate.ts';

/** What somebody who opens the page of a cluster most likely wants to do. */
export type MainAction = 'access' | 'addPool' | 'wake' | 'events';

const BY_PHASE: Readonly<Record<ClusterPhase, MainAction>> = {
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

/** `pools`: how many there are; undefined while that is not known. */
export function mainAction(cluster: Cluster, pools: number | undefined): MainAction {
  if (cluster.metadata.deletionTimestamp !== undefined) return 'events';
  if (isHibernating(cluster)) return 'wake';
  // A newer server may have phases that this console does not know.
  const action: MainAction | undefined = BY_PHASE[cluster.status?.phase ?? 'Pending'];
  return action === 'access' && pools === 0 ? 'addPool' : (action ?? 'events');
}
