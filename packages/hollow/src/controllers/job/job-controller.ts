import { formatTime } from '@fairway/base/clock';
import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { Expectations } from '@fairway/kube/controller/expectations';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import { controllerKeys, controllerOf } from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { Job, JobCondition, JobStatus, Pod } from '@fairway/kube/kinds/generated/types';
import { Jobs, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { indexPodsByNamespace, podsIn } from '../pod-indexes.ts';
import { isPodActive, isPodFinished, isPodReady, isPodTerminating } from '../pods.ts';
import { claimChildren, indexChildren, isSelectedBy } from '../workloads/claim-children.ts';
import { compareForDeletion } from '../workloads/deletion-order.ts';
import { PodControl } from '../workloads/pod-control.ts';
import { type JobOutcome, jobOutcome } from './job-outcome.ts';
import {
  backoffEndMs,
  consecutiveFailures,
  indexOf,
  isIndexed,
  isTracked,
  jobPod,
  missingIndexes,
  TRACKING_FINALIZER,
} from './job-pods.ts';
import { type Tally, tally } from './job-tally.ts';
import { failureAnnotations, failuresOfIndex, podsToReplace } from './pod-failures.ts';

const CONCURRENCY = 5;
/** Maximum pods created or deleted per pass, since parallelism is unlimited. */
const BURST = 500;
/** The `managedBy` value of Jobs that this controller runs, as it does those without one. */
const CONTROLLER_NAME = 'kubernetes.io/job-controller';

/** Runs the pods of Jobs to completion (pkg/controller/job), and deletes Jobs after their TTL. */
export function jobController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const jobs = informers.informer(Jobs);
  const pods = indexPodsByNamespace(indexChildren(informers.informer(Pods)));
  const events = context.events('job-controller');
  const expectations = new Expectations(clock);
  const control = new PodControl(client, events, expectations);
  const children = {
    informer: pods,
    children: client.resource(Pods),
    owners: client.resource(Jobs),
    ownerType: Jobs,
    finalizer: TRACKING_FINALIZER,
  };
  const ownersOf = controllerKeys(Jobs);
  control.observe(pods, ownersOf);

  async function reconcile(key: string): Promise<Result> {
    const job = jobs.get(key);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) {
      expectations.delete(key);
      await releaseOrphans(key, job);
      return {};
    }
    if ((job.spec.managedBy ?? CONTROLLER_NAME) !== CONTROLLER_NAME) return {};
    const end = finishedAt(job);
    const claimed = await claimChildren(job, job.spec.selector, children);
    if (end !== undefined) return cleanUpFinished(job, claimed, end);
    const isSettled = expectations.isSatisfied(key);
    const counts = tally(job, claimed);
    const active = claimed.filter(isPodActive);
    const outcome = jobOutcome(job, counts, claimed, clock.now());
    const status = nextStatus(job, counts, claimed, outcome);
    if (!jsonEqual(status, job.status)) await client.resource(Jobs).updateStatus({ ...job, status });
    recordEvents(job, status);
    const ended = new Set([...counts.completedIndexes, ...(counts.failedIndexes ?? [])]);
    const replaced = podsToReplace(job, claimed, ended);
    const kept = new Set(outcome ? [] : replaced.values());
    for (const pod of claimed) {
      if (kept.has(pod)) continue;
      const uid = pod.metadata.uid ?? '';
      const isOurs = counts.uncounted.succeeded.includes(uid) || counts.uncounted.failed.includes(uid);
      // Also removes finalizers from finished pods that count neither as succeeded nor as failed.
      const isDone =
        isOurs || isPodFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && (outcome || job.spec.suspend));
      if (isDone && isTracked(pod)) await release(pod);
    }
    if (!isSettled) return {};
    if (outcome || job.spec.suspend) {
      if (active.length > 0) await control.deleteAll(job, active);
      return {};
    }
    const waitMs = await manageJob(job, counts, claimed, replaced);
    return requeueEarliest(waitMs, deadlineLeftMs(job, status));
  }

  /** Creates and deletes pods; resolves with the delay before it may create more. */
  async function manageJob(
    job: Job,
    counts: Tally,
    claimed: readonly Pod[],
    replaced: ReadonlyMap<number, Pod>,
  ): Promise<number | undefined> {
    const { parallelism = 1, completions } = job.spec;
    const active = claimed.filter(isPodActive);
    const terminatingPods = claimed.filter(isPodTerminating);
    let desired = completions === undefined ? parallelism : Math.min(parallelism, completions - counts.succeeded);
    // A work-queue Job creates no more pods once one has succeeded.
    if (completions === undefined && counts.succeeded > 0) desired = Math.min(active.length, parallelism);
    if (active.length > desired) {
      const order = compareForDeletion(active, clock.now());
      await control.deleteAll(job, [...active].sort(order).slice(0, Math.min(active.length - desired, BURST)));
      return undefined;
    }
    const held = job.spec.podReplacementPolicy === 'Failed' ? terminatingPods.length : 0;
    const missing = Math.min(desired - active.length - held, BURST);
    if (missing <= 0) return undefined;
    const isPerIndex = job.spec.backoffLimitPerIndex !== undefined;
    const failed = consecutiveFailures(
      claimed.filter(({ status }) => status?.phase === 'Failed'),
      claimed.filter(({ status }) => status?.phase === 'Succeeded'),
    );
    const waitMs = isPerIndex ? 0 : backoffEndMs(failed.length, failed) - clock.now();
    if (waitMs > 0) return waitMs;
    const taken = new Set([
      ...counts.completedIndexes,
      ...(counts.failedIndexes ?? []),
      ...[...active, ...terminatingPods.slice(0, held)].map((pod) => indexOf(pod) ?? -1),
    ]);
    if (!isIndexed(job)) {
      await control.createAll(
        job,
        Array.from({ length: missing }, () => jobPod(job, undefined, random)),
      );
      return undefined;
    }
    const waits = missingIndexes(job, taken, missing).map((index) => ({
      index,
      leftMs: backoffOf(replaced.get(index)),
    }));
    const due = waits.filter(({ leftMs }) => leftMs <= 0);
    await control.createAll(
      job,
      due.map(({ index }) => jobPod(job, index, random, failureAnnotations(job, replaced.get(index)))),
    );
    const later = waits.filter(({ leftMs }) => leftMs > 0).map(({ leftMs }) => leftMs);
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** How long an index waits for its next attempt. */
  function backoffOf(failed: Pod | undefined): number {
    if (failed === undefined) return 0;
    const { counted, ignored } = failuresOfIndex(failed);
    return backoffEndMs(counted + ignored + 1, [failed]) - clock.now();
  }

  /** A finished Job: removes the finalizers of its remaining pods, and deletes the Job after its TTL. */
  async function cleanUpFinished(job: Job, claimed: readonly Pod[], endMs: number): Promise<Result> {
    for (const pod of claimed) if (isTracked(pod)) await release(pod);
    const ttl = job.spec.ttlSecondsAfterFinished;
    if (ttl === undefined) return {};
    const leftMs = endMs + ttl * 1000 - clock.now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const { name = '', namespace = '', uid } = job.metadata;
    try {
      const precondition = uid === undefined ? {} : { uid };
      await client.resource(Jobs).delete(name, { namespace, ...precondition, propagationPolicy: 'Foreground' });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
    return {};
  }

  async function releaseOrphans(key: string, job: Job | undefined): Promise<void> {
    const { namespace, name } = splitKey(key);
    for (const pod of podsIn(pods, namespace)) {
      if (!isTracked(pod)) continue;
      const owner = controllerOf(pod);
      const isOurs =
        owner?.kind === Jobs.kind && owner.name === name && (job === undefined || owner.uid === job.metadata.uid);
      if (isOurs || (owner === undefined && potentialOwners(pod).length === 0)) await release(pod);
    }
  }

  /** The Jobs that may adopt an orphan. */
  function potentialOwners(pod: Pod): Job[] {
    return jobs
      .list(pod.metadata.namespace)
      .filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && isSelectedBy(pod, spec.selector));
  }

  function release(pod: Pod): Promise<void> {
    return removeFinalizer(client.resource(Pods), pod, TRACKING_FINALIZER);
  }

  function nextStatus(job: Job, counts: Tally, claimed: readonly Pod[], outcome: JobOutcome | undefined): JobStatus {
    const now = formatTime(clock.now());
    const active = outcome || job.spec.suspend ? [] : claimed.filter(isPodActive);
    const ready = active.filter(isPodReady).length;
    const terminatingPods = claimed.filter(isPodTerminating).length;
    let conditions: readonly JobCondition[] = job.status?.conditions ?? [];
    let startTime = job.status?.startTime ?? (job.spec.suspend ? undefined : now);
    const suspended = conditions.find(({ type }) => type === 'Suspended');
    if (!outcome && job.spec.suspend && suspended?.status !== 'True') {
      conditions = withCondition(conditions, 'Suspended', 'True', 'JobSuspended', 'Job suspended', now);
      startTime = undefined;
    } else if (!job.spec.suspend && suspended?.status === 'True') {
      conditions = withCondition(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed', now);
      startTime = now;
    }
    if (outcome) {
      const { type, reason, message } = outcome;
      conditions = withCondition(
        conditions,
        type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget',
        'True',
        reason,
        message,
        now,
      );
      // Set the final condition only once no pod runs and all are counted.
      const isQuiet =
        claimed.every(isPodFinished) && counts.uncounted.succeeded.length + counts.uncounted.failed.length === 0;
      if (isQuiet) conditions = withCondition(conditions, type, 'True', reason, message, now);
    }
    const isComplete = conditions.some(({ type }) => type === 'Complete');
    return {
      ...(conditions.length > 0 && { conditions: [...conditions] }),
      ...(startTime !== undefined && { startTime }),
      ...(isComplete && { completionTime: now }),
      ...(active.length > 0 && { active: active.length }),
      ready,
      terminating: terminatingPods,
      ...counts.status,
      uncountedTerminatedPods: counts.status.uncountedTerminatedPods ?? {},
    };
  }

  function recordEvents(job: Job, status: JobStatus): void {
    const known = new Set((job.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`));
    for (const { type, status: value, reason = '', message = '' } of status.conditions ?? []) {
      if (known.has(`${type}=${value}`)) continue;
      if (type === 'Complete') events.normal(job, 'Completed', 'Job completed');
      else if (type === 'Failed') events.warning(job, reason, message);
      else if (type === 'Suspended') events.normal(job, value === 'True' ? 'Suspended' : 'Resumed', message);
    }
  }

  function deadlineLeftMs({ spec }: Job, { startTime }: JobStatus): number | undefined {
    if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
    return Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - clock.now();
  }

  const controller = new Controller({ name: 'job', reconcile, clock, random, log, concurrency: CONCURRENCY });
  return controller.watch(jobs).watch(pods, (pod) => {
    if (controllerOf(pod) !== undefined) return ownersOf(pod);
    const keys = potentialOwners(pod).map(keyOf);
    // Their Job no longer exists: reconciling its key cleans them up.
    return keys.length === 0 && isTracked(pod) ? [`${pod.metadata.namespace}/`] : keys;
  });
}

/** When the Job finished; undefined while it runs. */
function finishedAt({ status }: Job): number | undefined {
  const last = status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return last && Date.parse(last.lastTransitionTime ?? '');
}

function withCondition(
  conditions: readonly JobCondition[],
  type: string,
  status: string,
  reason: string,
  message: string,
  now: string,
): readonly JobCondition[] {
  const old = conditions.find((condition) => condition.type === type);
  if (old?.status === status && old.reason === reason) return conditions;
  const next = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  return old ? conditions.map((condition) => (condition === old ? next : condition)) : [...conditions, next];
}

function requeueEarliest(...waits: (number | undefined)[]): Result {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? {} : { requeueAfterMs: Math.max(0, Math.min(...known)) };
}
