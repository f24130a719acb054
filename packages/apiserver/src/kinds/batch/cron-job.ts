import type { CronJob, CronJobSpec } from '@fairway/kube/kinds/generated/types';
import { CronJobs } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { invalidValue, nonNegative, oneOf, required } from '../field-errors.ts';
import { humanAge } from '../printing/age.ts';
import { AGE, count, text, wide } from '../printing/column.ts';
import { formatLabelSelector } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { defaultJobTemplate } from './job-defaults.ts';
import { jobSpecErrors } from './job-validation.ts';

/** Leaves room for the suffix of the Jobs' names. */
const MAX_NAME_LENGTH = 52;
const MACRO_PATTERN = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every [0-9a-zµ.]+)$/;
const FIELD_PATTERN = /^[0-9A-Za-z*?/,-]+$/;

function specErrors({ metadata, spec }: CronJob, isNew: boolean): FieldError[] {
  const errors: FieldError[] = [];
  errors.push(...scheduleErrors(spec));
  errors.push(...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds));
  errors.push(...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], true));
  errors.push(...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit));
  errors.push(...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit));
  const name = metadata.name ?? '';
  if (isNew && name.length > MAX_NAME_LENGTH) {
    errors.push(invalidValue('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  }
  const template = spec.jobTemplate?.spec;
  if (template === undefined) return [...errors, required('spec.jobTemplate.spec.template')];
  if (template.manualSelector) {
    errors.push({
      type: 'FieldValueNotSupported',
      field: 'spec.jobTemplate.spec.manualSelector',
      value: true,
      detail: 'supported values: "nil", "false"',
    });
  }
  return [...errors, ...jobSpecErrors(template, 'spec.jobTemplate.spec')];
}

function scheduleErrors({ schedule, timeZone }: CronJobSpec): FieldError[] {
  if (!schedule) return [required('spec.schedule')];
  const errors: FieldError[] = [];
  if (schedule.includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    errors.push(invalidValue('spec.schedule', schedule, detail));
  } else if (!isSchedule(schedule)) {
    const found = schedule.trim().split(/\s+/);
    const detail =
      found.length === 5 || schedule.startsWith('@')
        ? `failed to parse: ${schedule}`
        : `expected exactly 5 fields, found ${found.length}: [${found.join(' ')}]`;
    errors.push(invalidValue('spec.schedule', schedule, detail));
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    errors.push(invalidValue('spec.timeZone', timeZone, `unknown time zone ${timeZone}`));
  }
  return errors;
}

/** The syntax of a schedule; the controller interprets its fields. */
function isSchedule(schedule: string): boolean {
  if (schedule.startsWith('@')) return MACRO_PATTERN.test(schedule);
  const fields = schedule.trim().split(/\s+/);
  return fields.length === 5 && fields.every((field) => FIELD_PATTERN.test(field));
}

function isTimeZone(name: string): boolean {
  // An empty time zone and Local would depend on the server's time zone.
  if (name === '' || name.toLowerCase() === 'local') return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const CronJobKind = defineKind(CronJobs, {
  definition: 'io.k8s.api.batch.v1.CronJob',
  shortNames: ['cj'],
  categories: ['all'],
  hasStatus: true,
  strategy: {
    default({ spec }) {
      setDefaults(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
      if (!spec.jobTemplate) return;
      spec.jobTemplate.metadata ??= {};
      defaultJobTemplate(spec.jobTemplate.spec);
    },
    prepareForCreate(job) {
      job.status = {};
    },
    validate: (job, old) => specErrors(job, old === undefined),
  },
  columns: [
    text('Schedule', '.spec.schedule'),
    text('Timezone', ({ spec }) => spec.timeZone ?? '<none>'),
    { name: 'Suspend', type: 'boolean', value: ({ spec }) => (spec.suspend ? 'True' : 'False') },
    count('Active', ({ status }) => status?.active?.length ?? 0),
    text('Last Schedule', ({ status }, nowMs) =>
      status?.lastScheduleTime === undefined ? '<none>' : humanAge(status.lastScheduleTime, nowMs),
    ),
    AGE,
    ...containerColumns<CronJob>(({ spec }) => spec.jobTemplate.spec?.template.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabelSelector(spec.jobTemplate.spec?.selector))),
  ],
});
