import { isReplayed } from '../domain/request.ts';
import { isNewRestore, isSameRestore } from '../domain/restore-request.ts';
import type { ClusterAdmission } from './cluster-admission.ts';
import type { CountedRequest } from './counted-requests.ts';

/** Warns that a request has no effect because it was already processed. */
export function replayWarnings(requests: readonly CountedRequest[]): string[] {
  return requests.flatMap(({ field, value, before, followed, replayWarning }) => {
    if (replayWarning === undefined || !isReplayed(value, { before, followed })) return [];
    return [`${field} (${value}): is not later than the last request, ${followed}: ${replayWarning}`];
  });
}

export function restoreWarnings({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): string[] {
  const restoreRequest = cluster.spec.etcd?.restore;
  const past = old?.status?.etcd;
  if (
    restoreRequest === undefined ||
    isSameRestore(restoreRequest, old?.spec.etcd?.restore) ||
    isNewRestore(restoreRequest, past)
  )
    return [];
  const { snapshot, requestedAt } = past?.lastRestore ?? {};
  const last = requestedAt === undefined ? snapshot : `${snapshot}, requested at ${requestedAt}`;
  return [
    `spec.etcd.restore: was already processed, or is earlier than the last restore (${last}): nothing is restored; to restore ${restoreRequest.snapshot} again, set requestedAt to the current time`,
  ];
}
