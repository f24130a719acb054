import type { Job } from '@fairway/kube/kinds/generated/types';
import { Jobs } from '@fairway/kube/kinds/resources';
import { humanDuration } from '../../server/human-duration.ts';
import { defineKind } from '../define-kind.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { formatLabelSelector } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { defaultJob, generateSelector } from './job-defaults.ts';
import { jobErrors, jobUpdateErrors } from './job-validation.ts';

function hasCondition({ status }: Job, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function state(job: Job): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (hasCondition(job, 'Suspended')) return 'Suspended';
  if (hasCondition(job, 'FailureTarget')) return 'FailureTarget';
  return hasCondition(job, 'SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration({ status }: Job, nowMs: number): string {
  if (status?.startTime === undefined) return '';
  const endMs = status.completionTime === undefined ? nowMs : Date.parse(status.completionTime);
  return humanDuration(endMs - Date.parse(status.startTime));
}

export const JobKind = defineKind(Jobs, {
  definition: 'io.k8s.api.batch.v1.Job',
  categories: ['all'],
  hasStatus: true,
  strategy: {
    orphansDependents:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    default: defaultJob,
    prepareForCreate(job) {
      job.status = {};
      if (job.spec.template !== undefined) generateSelector(job, job.metadata.uid ?? '');
    },
    prepareForUpdate(job, old) {
      // A replacement made from the manifest may omit generated fields.
      if (!job.spec.manualSelector && job.spec.selector === undefined && old.spec.selector !== undefined) {
        job.spec.selector = old.spec.selector;
      }
    },
    validate: (job, old) => [...jobErrors(job), ...(old === undefined ? [] : jobUpdateErrors(job, old))],
  },
  selectableFields: { 'status.successful': '.status.succeeded' },
  unsetFields: { 'status.successful': '0' },
  columns: [
    text('Status', state),
    text('Completions', completions),
    text('Duration', duration),
    AGE,
    ...containerColumns<Job>(({ spec }) => spec.template.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabelSelector(spec.selector))),
  ],
});
