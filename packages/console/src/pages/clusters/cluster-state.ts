import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';

/** The state of a cluster for users: needs attention, in progress, or ready. */
export type ClusterState = 'attention' | 'progress' | 'ready' | 'asleep';

const STATE_BY_PHASE: Readonly<Record<ClusterPhase, ClusterState>> = {
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

/** Phases that this console does not recognise count as needing attention. */
export function clusterState({ status }: Pick<Cluster, 'status'>): ClusterState {
  const phase = status?.phase ?? 'Pending';
  const state: ClusterState | undefined = STATE_BY_PHASE[phase];
  const operation = status?.lastOperation?.state;
  if (operation === 'Error' || operation === 'Failed') return 'attention';
  return state ?? 'attention';
}

/** The current operation, if there is one. */
export function runningOperation({ status }: Pick<Cluster, 'status'>) {
  const operation = status?.lastOperation;
  return operation === undefined || operation.state === 'Succeeded' ? undefined : operation;
}
