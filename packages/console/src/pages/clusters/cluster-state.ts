import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';

/** How a cluster is, for people: what to look at, what to wait for, and what needs nothing. */
export type ClusterState = 'attention' | 'progress' | 'ready' | 'asleep';

const BY_PHASE: Readonly<Record<ClusterPhase, ClusterState>> = {
  Pending: 'progress',
  Provisioning: 'progress',
  Ready: 'ready',
  Updating: 'progress',
  Hibernating: 'progress',
  Hibernated: 'asleep',
  Waking: 'progress',
  Resetting: 'progress',
  Degraded: 'attention',
  Failed: 'attention',
  Deleting: 'progress',
};

/** A newer server may have phases that this console does not know: they are looked at. */
export function clusterState({ status }: Pick<Cluster, 'status'>): ClusterState {
  const phase = status?.phase ?? 'Pending';
  const state: ClusterState | undefined = BY_PHASE[phase];
  const operation = status?.lastOperation?.state;
  if (operation === 'Error' || operation === 'Failed') return 'attention';
  return state ?? 'attention';
}

/** What is being done, while something is. */
export function runningOperation({ status }: Pick<Cluster, 'status'>) {
  const operation = status?.lastOperation;
  return operation === undefined || operation.state === 'Succeeded' ? undefined : operation;
}
