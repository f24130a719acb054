import type { Job, JobStatus, Pod } from '@fairway/kube/kinds/generated/types';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { indexOf, isIndexed, isTracked } from './job-pods.ts';

export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: ReadonlySet<number>;
  /** UIDs of finished pods whose finalizer must still be removed before they are counted. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The corresponding status fields. */
  readonly status: Pick<JobStatus, 'succeeded' | 'failed' | 'completedIndexes' | 'uncountedTerminatedPods'>;
}

/**
 * Counts each finished pod exactly once across crashes: its UID is first written into the status, then its finalizer is removed,
 * and only when that is observed is it added to the counter (KEP-2307).
 */
export function tally(job: Job, pods: readonly Pod[]): Tally {
  const { status = {} } = job;
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const isHeld = (uid: string) => {
    const pod = byUid.get(uid);
    return pod !== undefined && isTracked(pod);
  };
  const before = status.uncountedTerminatedPods ?? {};
  const succeeded = (before.succeeded ?? []).filter(isHeld);
  const failed = (before.failed ?? []).filter(isHeld);
  const counted = {
    succeeded: (status.succeeded ?? 0) + (before.succeeded ?? []).length - succeeded.length,
    failed: (status.failed ?? 0) + (before.failed ?? []).length - failed.length,
  };
  const known = new Set([...succeeded, ...failed]);
  const completed = parseIndexes(status.completedIndexes);
  for (const pod of pods) {
    const uid = pod.metadata.uid ?? '';
    if (!isTracked(pod) || known.has(uid)) continue;
    if (pod.status?.phase === 'Succeeded') {
      const index = indexOf(pod);
      // A second success of one index adds nothing.
      if (isIndexed(job) && (index === undefined || completed.has(index))) continue;
      if (index !== undefined) completed.add(index);
      succeeded.push(uid);
    } else if (isFailed(job, pod)) failed.push(uid);
  }
  const isPending = succeeded.length + failed.length > 0;
  const indexes = formatIndexes(completed);
  return {
    succeeded: isIndexed(job) ? completed.size : counted.succeeded + succeeded.length,
    failed: counted.failed + failed.length,
    completedIndexes: completed,
    uncounted: { succeeded, failed },
    status: {
      ...(counted.succeeded > 0 && { succeeded: counted.succeeded }),
      ...(counted.failed > 0 && { failed: counted.failed }),
      ...(indexes !== '' && { completedIndexes: indexes }),
      ...(isPending && {
        uncountedTerminatedPods: {
          ...(succeeded.length > 0 && { succeeded }),
          ...(failed.length > 0 && { failed }),
        },
      }),
    },
  };
}

/** A terminating pod counts as failed, unless the Job waits for it to finish or deleted it itself. */
function isFailed(job: Job, { status, metadata }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  const isOurDoing = job.spec.suspend === true || isEnding(job);
  return metadata.deletionTimestamp !== undefined && job.spec.podReplacementPolicy !== 'Failed' && !isOurDoing;
}

export function isEnding({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status }) =>
      status === 'True' && ['FailureTarget', 'SuccessCriteriaMet', 'Complete', 'Failed'].includes(type),
  );
}
