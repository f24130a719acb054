import type {
  ContainerStatus,
  Job,
  Pod,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '@fairway/kube/kinds/generated/types';
import { isPodActive } from '../pods.ts';
import { INDEX_FAILURES_ANNOTATION, INDEX_IGNORED_FAILURES_ANNOTATION, indexOf, isTracked } from './job-pods.ts';

/** What a Job's podFailurePolicy decides about a failed pod. */
export interface FailureDecision {
  readonly action: 'Count' | 'Ignore' | 'FailIndex' | 'FailJob';
  /** Why the Job fails. */
  readonly message?: string;
}

/** The first matching rule decides; a pod without a matching rule counts against the backoff limit (pod_failure_policy.go). */
export function failureDecisionFor({ spec }: Pick<Job, 'spec'>, pod: Pod): FailureDecision {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const reason = matchOf(rule, pod);
    if (reason === undefined) continue;
    switch (rule.action) {
      case 'FailJob':
        return { action: 'FailJob', message: `${reason} matching FailJob rule at index ${index}` };
      case 'Ignore':
      case 'FailIndex':
      case 'Count':
        return { action: rule.action };
    }
  }
  return { action: 'Count' };
}

function matchOf({ onExitCodes, onPodConditions }: PodFailurePolicyRule, { metadata, status }: Pod) {
  const id = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes !== undefined) {
    const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const failed = containers.find((container) => hasExitCode(container, onExitCodes));
    return (
      failed && `Container ${failed.name} for pod ${id} failed with exit code ${failed.state?.terminated?.exitCode}`
    );
  }
  const condition = status?.conditions?.find((one) =>
    onPodConditions?.some((pattern) => pattern.type === one.type && (pattern.status ?? 'True') === one.status),
  );
  return condition && `Pod ${id} has condition ${condition.type}`;
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(exitCode) === (operator === 'In');
}

/** Whether the pod has failed. A terminating pod counts too, unless the Job replaces only failed pods. */
export function isPodFailed({ spec }: Pick<Job, 'spec'>, { status, metadata }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  return (
    metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && spec.podReplacementPolicy !== 'Failed'
  );
}

/** How often an index has failed, as recorded on its last pod: with and without ignored failures. */
export function failuresOfIndex({ metadata }: Pod): { readonly counted: number; readonly ignored: number } {
  return {
    counted: numericAnnotation(metadata, INDEX_FAILURES_ANNOTATION),
    ignored: numericAnnotation(metadata, INDEX_IGNORED_FAILURES_ANNOTATION),
  };
}

function numericAnnotation({ annotations }: Pod['metadata'], name: string): number {
  const text = annotations?.[name] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Whether this failed pod was the last attempt of its index. */
export function isLastAttempt(job: Pick<Job, 'spec'>, pod: Pod): boolean {
  if (!isPodFailed(job, pod)) return false;
  const { action } = failureDecisionFor(job, pod);
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && failuresOfIndex(pod).counted >= (job.spec.backoffLimitPerIndex ?? 0);
}

/**
 * By index, the failed pod from which its replacement inherits the failure count. It keeps its finalizer until the replacement exists
 * (getPodsWithDelayedDeletionPerIndex).
 */
export function podsToReplace(
  job: Pick<Job, 'spec'>,
  pods: readonly Pod[],
  ended: ReadonlySet<number>,
): ReadonlyMap<number, Pod> {
  const found = new Map<number, Pod>();
  if (job.spec.backoffLimitPerIndex === undefined) return found;
  const active = new Set(pods.filter(isPodActive).map(indexOf));
  const tries = (pod: Pod) => failuresOfIndex(pod).counted + failuresOfIndex(pod).ignored;
  for (const pod of pods) {
    const index = indexOf(pod);
    const isWaiting = index !== undefined && isTracked(pod) && isPodFailed(job, pod);
    if (!isWaiting || index >= (job.spec.completions ?? 0) || ended.has(index) || active.has(index)) continue;
    const other = found.get(index);
    if (other === undefined || tries(pod) >= tries(other)) found.set(index, pod);
  }
  return found;
}

/** The annotations of the replacement of `failed`, or of an index's first pod. */
export function failureAnnotations(job: Pick<Job, 'spec'>, failed: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  if (failed === undefined) return { [INDEX_FAILURES_ANNOTATION]: '0' };
  const isIgnored = failureDecisionFor(job, failed).action === 'Ignore';
  const { counted, ignored } = failuresOfIndex(failed);
  const annotations = { [INDEX_FAILURES_ANNOTATION]: String(isIgnored ? counted : counted + 1) };
  return isIgnored || ignored > 0
    ? { ...annotations, [INDEX_IGNORED_FAILURES_ANNOTATION]: String(isIgnored ? ignored + 1 : ignored) }
    : annotations;
}
