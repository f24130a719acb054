import type { Job, Pod } from '@fairway/kube/kinds/generated/types';
import { isPodActive, restartsOf } from '../pods.ts';
import { parseIndexes } from './index-set.ts';
import type { Tally } from './job-tally.ts';
import { failureDecisionFor, isPodFailed } from './pod-failures.ts';

/** The outcome of a Job that is about to finish. */
export interface JobOutcome {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/**
 * Whether and how the Job ends, checked in upstream's order: earlier decision, pod failures, limits of the Job, failed
 * and then succeeded indexes, completions.
 */
export function jobOutcome(job: Job, counts: Tally, pods: readonly Pod[], nowMs: number): JobOutcome | undefined {
  return (
    recordedOutcome(job) ??
    failedByPolicy(job, pods) ??
    exceededLimit(job, counts, pods, nowMs) ??
    failedByIndexes(job, counts) ??
    succeededByPolicy(job, counts) ??
    completed(job, counts, pods)
  );
}

function recordedOutcome({ status }: Job): JobOutcome | undefined {
  const decisions = [
    ['SuccessCriteriaMet', 'Complete'],
    ['FailureTarget', 'Failed'],
  ] as const;
  for (const [condition, type] of decisions) {
    const found = status?.conditions?.find((one) => one.type === condition && one.status === 'True');
    if (found) return { type, reason: found.reason ?? '', message: found.message ?? '' };
  }
  return undefined;
}

function failedByPolicy(job: Job, pods: readonly Pod[]): JobOutcome | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const { message } = isPodFailed(job, pod) ? failureDecisionFor(job, pod) : {};
    if (message !== undefined) return { type: 'Failed', reason: 'PodFailurePolicy', message };
  }
  return undefined;
}

function exceededLimit(job: Job, counts: Tally, pods: readonly Pod[], nowMs: number): JobOutcome | undefined {
  const { backoffLimit = 6, activeDeadlineSeconds, suspend } = job.spec;
  const isRestarting = job.spec.template.spec?.restartPolicy === 'OnFailure';
  const active = pods.filter(isPodActive);
  const restarts = isRestarting ? active.reduce((sum, pod) => sum + restartsOf(pod), 0) : 0;
  const isOverRestarts = isRestarting && (backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit);
  if (counts.failed > backoffLimit || isOverRestarts) {
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const startMs = Date.parse(job.status?.startTime ?? '');
  if (activeDeadlineSeconds !== undefined && !suspend && nowMs - startMs >= activeDeadlineSeconds * 1000) {
    return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  return undefined;
}

function failedByIndexes({ spec }: Job, { failedIndexes, completedIndexes }: Tally): JobOutcome | undefined {
  if (failedIndexes === undefined) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return { type: 'Failed', reason: 'MaxFailedIndexesExceeded', message };
  }
  const isOver = failedIndexes.size + completedIndexes.size >= (spec.completions ?? 0);
  if (failedIndexes.size === 0 || !isOver) return undefined;
  return { type: 'Failed', reason: 'FailedIndexes', message: 'Job has failed indexes' };
}

function succeededByPolicy({ spec }: Job, { completedIndexes }: Tally): JobOutcome | undefined {
  if (completedIndexes.size === 0) return undefined;
  const met = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completedIndexes.size >= succeededCount;
    const requiredIndexes = parseIndexes(succeededIndexes, spec.completions);
    if (requiredIndexes.size === 0) return false;
    const succeeded = [...requiredIndexes].filter((index) => completedIndexes.has(index)).length;
    return succeeded === requiredIndexes.size || (succeededCount !== undefined && succeeded >= succeededCount);
  });
  if (met === -1) return undefined;
  return { type: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${met}` };
}

function completed({ spec }: Job, counts: Tally, pods: readonly Pod[]): JobOutcome | undefined {
  const isDone =
    spec.completions === undefined
      ? counts.succeeded > 0 && !pods.some(isPodActive)
      : counts.succeeded >= spec.completions;
  return isDone
    ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}
