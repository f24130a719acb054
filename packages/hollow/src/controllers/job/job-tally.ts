import type { Job, JobStatus, Pod } from '@fairway/kube/kinds/generated/types';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { indexOf, isIndexed, isTracked } from './job-pods.ts';
import { failureDecisionFor, isLastAttempt, isPodFailed } from './pod-failures.ts';

export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: ReadonlySet<number>;
  /** Indexes that are not retried; undefined for a Job without backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
  /** UIDs of finished pods whose finalizer must still be removed before they are counted. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The corresponding status fields. */
  readonly status: Pick<
    JobStatus,
    'succeeded' | 'failed' | 'completedIndexes' | 'failedIndexes' | 'uncountedTerminatedPods'
  >;
}

/**
 * Counts each finished pod exactly once despite crashes: first writes its UID into the status, then removes its
 * finalizer, and increments the counter only when the removal is observed (KEP-2307).
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
  const completed = parseIndexes(status.completedIndexes, job.spec.completions);
  const failedIndexSet = job.spec.backoffLimitPerIndex === undefined ? undefined : failedIndexesOf(job, pods);
  for (const pod of pods) {
    const uid = pod.metadata.uid ?? '';
    if (!isTracked(pod) || known.has(uid)) continue;
    if (pod.status?.phase === 'Succeeded') {
      const index = indexOf(pod);
      // A second success of one index adds nothing.
      if (isIndexed(job) && (index === undefined || completed.has(index))) continue;
      if (index !== undefined) completed.add(index);
      succeeded.push(uid);
    } else if (isFailed(job, pod) && failureDecisionFor(job, pod).action !== 'Ignore') failed.push(uid);
  }
  const isPending = succeeded.length + failed.length > 0;
  const indexes = formatIndexes(completed);
  return {
    succeeded: isIndexed(job) ? completed.size : counted.succeeded + succeeded.length,
    failed: counted.failed + failed.length,
    completedIndexes: completed,
    failedIndexes: failedIndexSet,
    uncounted: { succeeded, failed },
    status: {
      ...(counted.succeeded > 0 && { succeeded: counted.succeeded }),
      ...(counted.failed > 0 && { failed: counted.failed }),
      ...(indexes !== '' && { completedIndexes: indexes }),
      ...(failedIndexSet !== undefined && { failedIndexes: formatIndexes(failedIndexSet) }),
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
function isFailed(job: Job, pod: Pod): boolean {
  const isControllerInitiated = job.spec.suspend === true || isFinishing(job);
  return pod.status?.phase === 'Failed' || (isPodFailed(job, pod) && !isControllerInitiated);
}

function failedIndexesOf(job: Job, pods: readonly Pod[]): Set<number> {
  const failed = parseIndexes(job.status?.failedIndexes, job.spec.completions);
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || index >= (job.spec.completions ?? 0)) continue;
    if (isTracked(pod) && isLastAttempt(job, pod)) failed.add(index);
  }
  return failed;
}

export function isFinishing({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status }) =>
      status === 'True' && ['FailureTarget', 'SuccessCriteriaMet', 'Complete', 'Failed'].includes(type),
  );
}
