import { formatTime } from '@fairway/base/clock';
import type { Schedule } from '@fairway/base/cron-schedule';
import { Controller } from '@fairway/kube/controller/controller';
import { CONTROLLER_UID_INDEX, controllerKeys, controllerRef } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { CronJob, CronJobStatus, Job, ObjectReference } from '@fairway/kube/kinds/generated/types';
import { CronJobs, Jobs } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { indexChildren } from '../workloads/claim-children.ts';
import { messageOf } from '../workloads/pod-control.ts';
import { latestDue, parseSchedule } from './schedule.ts';

const SCHEDULED_AT_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Creates Jobs on schedule (pkg/controller/cronjob, v2). */
export function cronJobController(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log } = context;
  const cronJobs = informers.informer(CronJobs);
  const jobs = indexChildren(informers.informer(Jobs));
  const events = context.events('cronjob-controller');

  async function reconcile(key: string): Promise<Result> {
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined || cronJob.metadata.deletionTimestamp !== undefined) return {};
    const children = jobs.byIndex(CONTROLLER_UID_INDEX, cronJob.metadata.uid ?? '');
    await deleteOldJobs(cronJob, children);
    const status = settledStatus(cronJob, children);
    if (cronJob.spec.suspend) {
      await writeStatus(cronJob, status);
      return {};
    }
    let schedule: Schedule;
    try {
      schedule = parseSchedule(cronJob.spec.schedule, cronJob.spec.timeZone);
    } catch (error) {
      events.warning(
        cronJob,
        'UnparseableSchedule',
        `unparseable schedule: ${cronJob.spec.schedule} : ${messageOf(error)}`,
      );
      await writeStatus(cronJob, status);
      return {};
    }
    await writeStatus(cronJob, (await startDueJob(cronJob, schedule, children, status)) ?? status);
    const next = schedule.next(clock.now());
    return next === undefined ? {} : { requeueAfterMs: next - clock.now() + 100 };
  }

  async function startDueJob(
    cronJob: CronJob,
    schedule: Schedule,
    children: readonly Job[],
    status: CronJobStatus,
  ): Promise<CronJobStatus | undefined> {
    const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    const nowMs = clock.now();
    const lastMs = Date.parse(status.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '') || nowMs;
    const earliestMs = startingDeadlineSeconds === undefined ? lastMs : nowMs - startingDeadlineSeconds * 1000;
    const { latestMs, isTooMany } = latestDue(schedule, Math.max(lastMs, earliestMs), nowMs);
    if (isTooMany) {
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      events.warning(cronJob, 'TooManyMissedTimes', message);
    }
    if (latestMs === undefined) return undefined;
    const running = children.filter((job) => !isFinished(job));
    if (concurrencyPolicy === 'Forbid' && running.length > 0) {
      events.normal(
        cronJob,
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return undefined;
    }
    let active = status.active ?? [];
    if (concurrencyPolicy === 'Replace') {
      for (const job of running) await removeJob(cronJob, job);
      active = [];
    }
    const job = await createJob(cronJob, latestMs);
    const reference = { kind: 'Job', apiVersion: 'batch/v1', ...referenceOf(job) };
    const others = active.filter(({ uid }) => uid !== reference.uid);
    return { ...status, active: [...others, reference], lastScheduleTime: formatTime(latestMs) };
  }

  async function createJob(cronJob: CronJob, scheduledMs: number): Promise<Job> {
    const { name = '', namespace = '' } = cronJob.metadata;
    const { metadata = {}, spec } = cloneJson(cronJob.spec.jobTemplate);
    const job: Job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        // The scheduled time is part of the name, so a second sync does not create another Job.
        name: `${name}-${Math.floor(scheduledMs / 60_000)}`,
        namespace,
        labels: { ...metadata.labels },
        annotations: { ...metadata.annotations, [SCHEDULED_AT_ANNOTATION]: formatTime(scheduledMs) },
        ownerReferences: [controllerRef(cronJob, CronJobs)],
      },
      spec: spec ?? { template: {} },
    };
    try {
      const created = await client.resource(Jobs).create(job);
      events.normal(cronJob, 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return created;
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return client.resource(Jobs).get(job.metadata.name ?? '', { namespace });
      events.warning(cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
      throw error;
    }
  }

  async function deleteOldJobs(cronJob: CronJob, children: readonly Job[]): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec;
    const limits = [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const;
    for (const [type, limit] of limits) {
      const ended = children.filter((job) => hasEnded(job, type)).sort((left, right) => startOf(left) - startOf(right));
      for (const job of ended.slice(0, Math.max(0, ended.length - limit))) await removeJob(cronJob, job);
    }
  }

  async function removeJob(cronJob: CronJob, { metadata }: Job): Promise<void> {
    const { name = '', namespace = '', uid } = metadata;
    try {
      await client
        .resource(Jobs)
        .delete(name, { namespace, ...(uid !== undefined && { uid }), propagationPolicy: 'Background' });
      events.normal(cronJob, 'SuccessfulDelete', `Deleted job ${name}`);
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  /** The status without finished or deleted Jobs. */
  function settledStatus(cronJob: CronJob, children: readonly Job[]): CronJobStatus {
    const status = cronJob.status ?? {};
    const byUid = new Map(children.map((job) => [job.metadata.uid, job]));
    const known = new Set((status.active ?? []).map(({ uid }) => uid));
    const active: ObjectReference[] = (status.active ?? []).filter(({ uid, name = '', namespace = '' }) => {
      const job = byUid.get(uid);
      // The cache may not yet contain a Job that was just created.
      if (job === undefined && reader.get(Jobs, namespace, name)?.metadata.uid === uid) return true;
      if (job !== undefined && !isFinished(job)) return true;
      if (job === undefined) events.normal(cronJob, 'MissingJob', `Active job went missing: ${name}`);
      else {
        const condition = hasEnded(job, 'Complete') ? 'Complete' : 'Failed';
        events.normal(cronJob, 'SawCompletedJob', `Saw completed job: ${name}, condition: ${condition}`);
      }
      return false;
    });
    for (const job of children) {
      if (!isFinished(job) && !known.has(job.metadata.uid))
        active.push({ kind: 'Job', apiVersion: 'batch/v1', ...referenceOf(job) });
    }
    const successes = children
      .filter((job) => hasEnded(job, 'Complete'))
      .map(({ status }) => status?.completionTime ?? '');
    const lastSuccessfulTime = [status.lastSuccessfulTime ?? '', ...successes].sort().at(-1);
    return {
      ...(active.length > 0 && { active }),
      ...(status.lastScheduleTime !== undefined && { lastScheduleTime: status.lastScheduleTime }),
      ...(lastSuccessfulTime && { lastSuccessfulTime }),
    };
  }

  async function writeStatus(cronJob: CronJob, status: CronJobStatus): Promise<void> {
    if (!jsonEqual(status, cronJob.status ?? {})) await client.resource(CronJobs).updateStatus({ ...cronJob, status });
  }

  const controller = new Controller({ name: 'cronjob', reconcile, clock, random, log });
  return controller.watch(cronJobs).watch(jobs, controllerKeys(CronJobs));
}

function referenceOf({ metadata }: Job) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

function hasEnded({ status }: Job, type: 'Complete' | 'Failed'): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function isFinished(job: Job): boolean {
  return hasEnded(job, 'Complete') || hasEnded(job, 'Failed');
}

function startOf({ status, metadata }: Job): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || 0;
}
