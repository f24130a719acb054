import { JOB_NAME_LABEL } from '@fairway/apiserver/kinds/batch/job-defaults';
import { generateName } from '@fairway/apiserver/server/generate-name';
import type { Job, Pod } from '@fairway/kube/kinds/generated/types';
import { Jobs } from '@fairway/kube/kinds/resources';
import { podFromTemplate } from '../workloads/pod-from-template.ts';

/** Keeps a pod until its result is counted. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURES_ANNOTATION = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES_ANNOTATION = 'batch.kubernetes.io/job-index-ignored-failure-count';
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 360_000;

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** A pod of the Job; for an indexed Job, with its index in the name, annotation, label, host name and environment. */
export function jobPod(
  job: Job,
  index: number | undefined,
  random: () => number,
  annotations: Readonly<Record<string, string>> = {},
): Pod {
  const pod = podFromTemplate(job.spec.template, job, Jobs);
  pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER];
  if (index === undefined) return pod;
  const name = job.metadata.name ?? '';
  delete pod.metadata.generateName;
  pod.metadata.name = generateName(`${name.slice(0, 50)}-${index}-`, random);
  pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations, [INDEX]: String(index) };
  pod.metadata.labels = { ...pod.metadata.labels, [INDEX]: String(index), [JOB_NAME_LABEL]: name };
  pod.spec.hostname ??= `${name}-${index}`;
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX}']` };
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    if (container.env?.some((variable) => variable.name === 'JOB_COMPLETION_INDEX')) continue;
    container.env = [...(container.env ?? []), { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef } }];
  }
  return pod;
}

/** The lowest indexes that are neither completed nor active. */
export function missingIndexes(job: Job, taken: ReadonlySet<number>, count: number): number[] {
  const missing: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && missing.length < count; index++) {
    if (!taken.has(index)) missing.push(index);
  }
  return missing;
}

/**
 * End of the backoff after consecutive failures: ten seconds after the last failure, doubled for each additional one.
 */
export function backoffEndMs(failures: number, failedPods: readonly Pod[]): number {
  if (failures === 0) return 0;
  const lastMs = failedPods.reduce((last, pod) => Math.max(last, finishedAtMs(pod)), 0);
  return lastMs + Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}

/** The pods that have failed since the last success. */
export function consecutiveFailures(failed: readonly Pod[], succeeded: readonly Pod[]): Pod[] {
  const lastSuccessMs = succeeded.reduce((last, pod) => Math.max(last, finishedAtMs(pod)), 0);
  return failed.filter((pod) => finishedAtMs(pod) > lastSuccessMs);
}

function finishedAtMs({ status, metadata }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((end) => !Number.isNaN(end));
  return known.length > 0 ? Math.max(...known) : Date.parse(metadata.deletionTimestamp ?? '') || 0;
}
