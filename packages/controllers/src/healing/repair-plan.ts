import { ConditionReason } from '@fairway/api/conditions';
import { type HealingSettings, maxUnhealthyInCluster, maxUnhealthyInPool } from '@fairway/api/domain/healing-settings';
import { isNewRequest, requestValueOf } from '@fairway/api/domain/request';
import { EXCLUDE_FROM_HEALING_ANNOTATION, KEEP_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { HealingRecord } from '@fairway/api/kinds/node-pool-healing';
import { formatTime } from '@fairway/base/clock';
import { truncate } from '@fairway/base/truncate';
import type { Problem } from '@fairway/tenancy/problem';
import { isBeingReinstalled, isCurrentMark } from '../node-pool/availability.ts';
import type { UnhealthyReason } from './unhealthy-reason.ts';

/** A machine in the pool, and its unhealthy reason. */
export interface RepairTarget {
  readonly machine: Machine;
  readonly unhealthy: UnhealthyReason | undefined;
}

/** Desired nodes, and how many of them are unhealthy. */
export interface HealthCounts {
  readonly size: number;
  readonly unhealthy: number;
}

export interface RepairContext {
  readonly settings: HealingSettings;
  /** Across all pools in the cluster. */
  readonly cluster: HealthCounts;
  /** Why operations that need the cluster's API, such as a drain, are not possible now. */
  readonly api: Problem | undefined;
  /** Why observations of the nodes are not trusted yet; user requests override this. */
  readonly settling?: Problem | undefined;
  /** Why the cloud cannot be used. */
  readonly cloud: Problem | undefined;
  readonly record: HealingRecord;
  readonly nowMs: number;
}

/** A machine's new mark; the same object as before if nothing changes. */
export interface RepairDecision {
  readonly machine: Machine;
  readonly mark: RepairMark | undefined;
}

/** A machine that is due for a repair. */
export interface Candidate extends RepairTarget {
  readonly reason: ConditionReason;
  readonly message: string;
  readonly isServerMissing: boolean;
  readonly isRequested: boolean;
  /** Whether a reinstallation failed to help. */
  readonly isEscalated: boolean;
}

/**
 * The marks of all machines in a pool. Pure. A machine whose server is missing comes first and does not wait for
 * anything, because its repair cannot destroy anything. Next come requests by users, which wait only for the cluster's
 * API and the cloud. Then comes the machine that has been unhealthy the longest, one at a time.
 */
export function planRepairs(targets: readonly RepairTarget[], context: RepairContext): readonly RepairDecision[] {
  const { nowMs, record } = context;
  const candidates = candidatesOf(targets, record, nowMs);
  const kept = new Map(
    targets
      .filter(({ machine }) => !candidates.some((candidate) => candidate.machine === machine))
      .map((target) => [target.machine, markToKeep(target, context.settings)]),
  );
  const startedRepairs = [...kept].filter(([, mark]) => mark?.due && mark.reason !== ConditionReason.ServerVanished);
  let [inProgress] = startedRepairs.map(([{ metadata }]) => metadata.name ?? '');
  const counts = { size: targets.length, unhealthy: targets.filter(({ unhealthy }) => unhealthy).length };
  const marks = new Map(kept);
  for (const candidate of candidates.toSorted(compareUrgency)) {
    const hold = holdOf(candidate, { ...context, pool: counts, inProgress });
    marks.set(candidate.machine, markOf(candidate, hold, context));
    if (hold === undefined && !candidate.isServerMissing) inProgress ??= candidate.machine.metadata.name ?? '';
  }
  return targets.map(({ machine }) => ({ machine, mark: marks.get(machine) }));
}

/** Machines whose time limit has passed, or whose repair a user has requested, and whose repair has not started. */
export function candidatesOf(
  targets: readonly RepairTarget[],
  record: HealingRecord,
  nowMs: number,
): readonly Candidate[] {
  return targets.flatMap((target) => {
    const { machine, unhealthy } = target;
    if (machine.metadata.deletionTimestamp !== undefined) return [];
    const current = currentMark(machine);
    const isUnderWay = current?.due === true;
    const base = {
      ...target,
      isServerMissing: unhealthy?.isServerMissing === true,
      isRequested: false,
      isEscalated: false,
    };
    if (unhealthy?.isServerMissing) {
      const isKnown = isUnderWay && current.reason === ConditionReason.ServerVanished;
      const isRequested = hasNewRequest(machine, record);
      return isKnown ? [] : [{ ...base, reason: unhealthy.reason, message: unhealthy.message, isRequested }];
    }
    if (isUnderWay) {
      if (unhealthy === undefined || !hasReinstallFailed(target, current, nowMs)) return [];
      return [{ ...base, reason: unhealthy.reason, message: unhealthy.message, isEscalated: true }];
    }
    if (hasNewRequest(machine, record)) {
      const message = unhealthy ? `requested by a user: ${unhealthy.message}` : 'requested by a user';
      return [{ ...base, reason: ConditionReason.RepairRequested, message, isRequested: true }];
    }
    const isDue = unhealthy !== undefined && nowMs >= unhealthy.dueMs;
    const isEscalated = isBeingReinstalled(machine);
    return isDue ? [{ ...base, reason: unhealthy.reason, message: unhealthy.message, isEscalated }] : [];
  });
}

/** The machine's mark, unless it dates from before a reset. */
function currentMark(machine: Machine): RepairMark | undefined {
  const mark = machine.status?.marks?.repair;
  return mark && isCurrentMark(machine, mark) ? mark : undefined;
}

/** The value of the repair request, if there is one. */
export function requestOf(machine: Machine): string | undefined {
  return requestValueOf(machine, REPAIR_ANNOTATION);
}

function hasNewRequest(machine: Machine, { requests = [] }: HealingRecord): boolean {
  const matchingRequest = requests.find(({ machine: name }) => name === machine.metadata.name);
  return isNewRequest(requestOf(machine), matchingRequest?.value);
}

/** Whether the server was reinstalled for this mark and has not rejoined as a node in time. */
function hasReinstallFailed(
  { machine, unhealthy }: RepairTarget,
  { strategy, time }: RepairMark,
  nowMs: number,
): boolean {
  if (strategy !== 'Reinstall' || machine.spec.reinstallTime !== time || unhealthy === undefined) return false;
  return unhealthy.sinceMs >= Date.parse(time) && nowMs >= unhealthy.dueMs;
}

/** The mark of a machine that is not a candidate. */
function markToKeep({ machine, unhealthy }: RepairTarget, settings: HealingSettings): RepairMark | undefined {
  const current = currentMark(machine);
  if (current === undefined) return undefined;
  // A hold persists while the node's state is unknown.
  if (!current.due) return unhealthy === undefined ? undefined : current;
  if (isUnderReinstallation(machine, current)) return current;
  const isWorking = machine.status?.phase === 'Ready' && unhealthy === undefined;
  if (wasReinstalledFor(machine, current)) return isWorking ? undefined : current;
  if (current.reason === ConditionReason.RepairRequested) return current;
  if (current.reason === ConditionReason.ServerVanished && requestOf(machine) !== undefined) return current;
  if (isExcluded(machine) || !settings.isEnabled) return undefined;
  return isWorking ? undefined : current;
}

/** Whether the pool has requested the reinstallation for this mark, and the disk has not been written yet. */
function isUnderReinstallation({ spec, status }: Machine, { time }: RepairMark): boolean {
  return spec.reinstallTime === time && status?.installed?.reinstallTime !== time;
}

function wasReinstalledFor(machine: Machine, { time, strategy }: RepairMark): boolean {
  return strategy === 'Reinstall' && machine.status?.installed?.reinstallTime === time && !isBeingReinstalled(machine);
}

function isExcluded({ metadata }: Machine): boolean {
  return metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined;
}

function compareUrgency(a: Candidate, b: Candidate): number {
  const rank = ({ isServerMissing, isRequested }: Candidate) => (isServerMissing ? 2 : isRequested ? 1 : 0);
  const sinceMs = ({ unhealthy }: Candidate) => unhealthy?.sinceMs ?? 0;
  const byName = (a.machine.metadata.name ?? '').localeCompare(b.machine.metadata.name ?? '');
  return rank(b) - rank(a) || sinceMs(a) - sinceMs(b) || byName;
}

interface Rules extends RepairContext {
  readonly pool: HealthCounts;
  /** The machine that is being repaired, if one is. */
  readonly inProgress: string | undefined;
}

/** What the repair is waiting for; undefined if it starts. */
function holdOf(candidate: Candidate, rules: Rules): Problem | undefined {
  const { settings, api, settling, cloud, record, nowMs, inProgress } = rules;
  if (isExcluded(candidate.machine)) {
    const message = `it has the annotation ${EXCLUDE_FROM_HEALING_ANNOTATION}: remove the annotation to have it repaired`;
    return { reason: ConditionReason.ExcludedFromHealing, message };
  }
  if (!candidate.isRequested && !settings.isEnabled) {
    const message = `spec.healing.enabled of its pool is false: set it to true, delete the Machine, or annotate it with ${REPAIR_ANNOTATION}`;
    return { reason: ConditionReason.HealingDisabled, message };
  }
  if (candidate.isServerMissing) return undefined;
  if (api ?? cloud) return api ?? cloud;
  if (candidate.isRequested) return undefined;
  if (settling) return settling;
  if (record.notBefore !== undefined && nowMs < Date.parse(record.notBefore)) {
    const { failures = 1, notBefore } = record;
    const last = failures === 1 ? 'the last repair' : `the last ${failures} repairs`;
    const message = `${last} in the pool did not help: the next one starts at ${notBefore}, or immediately if you annotate the Machine with ${REPAIR_ANNOTATION}`;
    return { reason: ConditionReason.RepairBackingOff, message };
  }
  const overLimit = unhealthyLimitProblem(rules);
  if (overLimit) return overLimit;
  if (inProgress === undefined) return undefined;
  return { reason: ConditionReason.RepairInProgress, message: `${inProgress} is being repaired: only one at a time` };
}

function unhealthyLimitProblem({ settings, pool, cluster }: Rules): Problem | undefined {
  const { maxUnhealthy } = settings;
  const scopes = [
    { ...pool, what: 'pool', most: maxUnhealthyInPool(maxUnhealthy, pool.size) },
    { ...cluster, what: 'cluster', most: maxUnhealthyInCluster(maxUnhealthy, cluster.size) },
  ];
  const overLimitScope = scopes.find(({ unhealthy, most }) => unhealthy > most);
  if (overLimitScope === undefined) return undefined;
  const { what, size, most } = overLimitScope;
  // Omits the current count, which changes from one check to the next.
  const message = `more than ${most} of the ${size} nodes of the ${what} are unhealthy, which exceeds spec.healing.maxUnhealthy (${maxUnhealthy}): look for a common cause`;
  return { reason: ConditionReason.TooManyUnhealthy, message };
}

function markOf(candidate: Candidate, hold: Problem | undefined, { settings, nowMs }: RepairContext): RepairMark {
  const current = currentMark(candidate.machine);
  // Only after a reinstallation that did not help.
  const shouldReplace = current?.due === false && current.strategy === 'Replace';
  const isKept = candidate.machine.metadata.annotations?.[KEEP_ANNOTATION] !== undefined;
  const strategy =
    candidate.isServerMissing || candidate.isEscalated || shouldReplace || isKept ? 'Replace' : settings.strategy;
  const now = formatTime(nowMs);
  if (hold === undefined) {
    const { reason, message } = candidate;
    return { due: true, reason, message: truncate(message), time: now, strategy };
  }
  const { reason } = hold;
  const message = truncate(`not repaired: ${hold.message}. ${candidate.reason}: ${candidate.message}`);
  const isSame = current?.due === false && current.reason === reason && current.strategy === strategy;
  // A changed message does not reset the time.
  if (isSame && current.message === message) return current;
  return { due: false, reason, message, time: current?.due === false ? current.time : now, strategy };
}
