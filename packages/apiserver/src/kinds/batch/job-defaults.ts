import type { Job, JobSpec } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import { setDefaults } from '../defaulting.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';

const BACKOFF_LIMIT = 6;
const MAX_INT32 = 2 ** 31 - 1;
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
export const CONTROLLER_UID_LABEL = 'batch.kubernetes.io/controller-uid';
/** The same labels without their prefix, for tools older than 1.27. */
export const OLD_JOB_NAME_LABEL = 'job-name';
export const OLD_CONTROLLER_UID_LABEL = 'controller-uid';

export function defaultJob(job: Job): void {
  const { spec, metadata } = job;
  // If both are missing, run one pod. With completions only, run one pod at a time. With parallelism only, treat the
  // Job as a work queue.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  setDefaults(spec, {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : MAX_INT32,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  defaultFailurePolicy(spec);
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  defaultPodTemplate(spec.template);
}

/** Generates the selector of the Job's pods from the Job's UID. A manual selector is left unchanged. */
export function generateSelector(job: Job, uid: string): void {
  const { spec } = job;
  if (spec.manualSelector) return;
  const metadata = (spec.template.metadata ??= {});
  const labels = (metadata.labels ??= {});
  const hasLabelsOfPods = jsonEqual(job.metadata.labels ?? {}, labels);
  const name = job.metadata.name ?? '';
  for (const [key, value] of [
    [OLD_JOB_NAME_LABEL, name],
    [JOB_NAME_LABEL, name],
    [OLD_CONTROLLER_UID_LABEL, uid],
    [CONTROLLER_UID_LABEL, uid],
  ] as const) {
    labels[key] ??= value;
  }
  if (hasLabelsOfPods) job.metadata.labels = { ...labels };
  spec.selector ??= {};
  spec.selector.matchLabels = { ...spec.selector.matchLabels, [CONTROLLER_UID_LABEL]: uid };
}

function defaultFailurePolicy(spec: JobSpec | undefined): void {
  for (const rule of spec?.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) setDefaults(pattern, { status: 'True' });
  }
}

/**
 * In a CronJob's template only the pod template and the patterns of the failure policy get defaults, since there is no
 * Job yet.
 */
export function defaultJobTemplate(spec: JobSpec | undefined): void {
  defaultFailurePolicy(spec);
  defaultPodTemplate(spec?.template);
}
