import type { Job, JobSpec, PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { invalidValue, nonNegative, oneOf, required } from '../field-errors.ts';
import { podTemplateErrors } from '../pod/pod-validation.ts';
import { immutable, labelSelectorErrors } from '../validation-common.ts';
import { selectorMatchErrors } from '../workload-validation.ts';
import { CONTROLLER_UID_LABEL, JOB_NAME_LABEL } from './job-defaults.ts';
import { failurePolicyErrors, successPolicyErrors } from './job-policies.ts';

const COUNT_FIELDS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;
const MAX_INDEXED_PARALLELISM = 100_000;

/** Upstream's ValidateJobSpec, for a Job or for the template of a CronJob at `field`. */
export function jobSpecErrors(spec: JobSpec, field: string): FieldError[] {
  const errors = COUNT_FIELDS.flatMap((name) => nonNegative(`${field}.${name}`, spec[name]));
  errors.push(...oneOf(`${field}.completionMode`, spec.completionMode, ['NonIndexed', 'Indexed']));
  if (spec.completionMode === 'Indexed') {
    if (spec.completions === undefined) {
      errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
    }
    if ((spec.parallelism ?? 0) > MAX_INDEXED_PARALLELISM) {
      const detail = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
      errors.push(invalidValue(`${field}.parallelism`, spec.parallelism, detail));
    }
  } else if (spec.backoffLimitPerIndex !== undefined) {
    const detail = 'requires indexed completion mode';
    errors.push(invalidValue(`${field}.backoffLimitPerIndex`, spec.backoffLimitPerIndex, detail));
  }
  errors.push(...failedIndexesErrors(spec, field));
  errors.push(...failurePolicyErrors(spec, field), ...successPolicyErrors(spec, field));
  errors.push(...podTemplateErrors(spec.template, `${field}.template`));
  const policy = spec.template?.spec?.restartPolicy;
  if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  } else if (policy === 'OnFailure' && spec.podFailurePolicy) {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    errors.push(invalidValue(`${field}.template.spec.restartPolicy`, policy, detail));
  }
  return errors;
}

function failedIndexesErrors(spec: JobSpec, field: string): FieldError[] {
  const { maxFailedIndexes, backoffLimitPerIndex, completionMode, completions } = spec;
  if (maxFailedIndexes === undefined) return [];
  const path = `${field}.maxFailedIndexes`;
  const errors: FieldError[] = [];
  if (backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (completionMode !== 'Indexed')
    errors.push(invalidValue(path, maxFailedIndexes, 'requires indexed completion mode'));
  else if (completions !== undefined && maxFailedIndexes > completions) {
    errors.push(invalidValue(path, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  return errors;
}

export function jobErrors(job: Job): FieldError[] {
  const { spec, metadata } = job;
  const errors = jobSpecErrors(spec, 'spec');
  if (spec.selector === undefined) errors.push(required('spec.selector'));
  errors.push(...labelSelectorErrors('spec.selector', spec.selector));
  errors.push(...selectorMatchErrors(spec.template, spec.selector));
  if (spec.manualSelector || metadata.uid === undefined) return errors;
  const labels = spec.template?.metadata?.labels ?? {};
  const path = 'spec.template.metadata.labels';
  if (labels[CONTROLLER_UID_LABEL] !== metadata.uid) {
    errors.push(invalidValue(path, labels, `must have "${CONTROLLER_UID_LABEL}" set to "${metadata.uid}"`));
  }
  if (labels[JOB_NAME_LABEL] !== metadata.name) {
    errors.push(invalidValue(path, labels, `must have "${JOB_NAME_LABEL}" set to "${metadata.name}"`));
  }
  return errors;
}

/** Upstream's ValidateJobUpdate: a Job's workload is immutable once it has started. */
export function jobUpdateErrors(job: Job, old: Job): FieldError[] {
  const { spec } = job;
  const { spec: previous } = old;
  const errors = [
    ...immutable('spec.selector', spec.selector, previous.selector),
    ...immutable('spec.completionMode', spec.completionMode, previous.completionMode),
    ...immutable('spec.podFailurePolicy', spec.podFailurePolicy, previous.podFailurePolicy),
    ...immutable('spec.successPolicy', spec.successPolicy, previous.successPolicy),
    ...immutable('spec.backoffLimitPerIndex', spec.backoffLimitPerIndex, previous.backoffLimitPerIndex),
    ...immutable('spec.managedBy', spec.managedBy, previous.managedBy),
    ...templateErrors(job, old),
  ];
  const isElastic =
    spec.completionMode === 'Indexed' && spec.completions === spec.parallelism && spec.completions !== undefined;
  if (!isElastic) errors.push(...immutable('spec.completions', spec.completions, previous.completions));
  return errors;
}

function templateErrors(job: Job, old: Job): FieldError[] {
  const isUnstarted = old.spec.suspend === true && old.status?.startTime === undefined;
  const newTemplate = isUnstarted ? withSchedulingOf(job.spec.template, old.spec.template) : job.spec.template;
  if (jsonEqual(newTemplate, old.spec.template)) return [];
  return [invalidValue('spec.template', job.spec.template, 'field is immutable')];
}

/** While a Job is suspended and has never run, a queue manager may still change its scheduling directives. */
function withSchedulingOf(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const spec = { ...template.spec, containers: template.spec?.containers ?? [] };
  const metadata = { ...template.metadata };
  for (const field of ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'] as const) {
    if (old.spec?.[field] === undefined) delete spec[field];
    else Object.assign(spec, { [field]: old.spec[field] });
  }
  for (const field of ['labels', 'annotations'] as const) {
    if (old.metadata?.[field] === undefined) delete metadata[field];
    else metadata[field] = old.metadata[field];
  }
  return { ...template, ...(template.metadata && { metadata }), spec };
}
