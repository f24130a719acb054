import { ConditionReason } from '@fairway/api/conditions';
import {
  type HealingSettings,
  mostUnhealthyOfCluster,
  mostUnhealthyOfPool,
} from '@fairway/api/domain/healing-settings';
import { isNewRequest, requestIn } from '@fairway/api/domain/request';
import { EXCLUDE_FROM_HEALING_ANNOTATION, KEEP_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { HealingRecord } from '@fairway/api/kinds/node-pool-healing';
import { formatTime } from '@fairway/base/clock';
import { cut } from '@fairway/base/cut';
import type { Problem } from '@fairway/tenancy/problem';
import { isBeingReinstalled, isMarkOfNow } from '../node-pool/availability.ts';
import type { Ailment } from './ailment.ts';

/** A machine of the pool, and what is wrong with it. */
export interface Patient {
  readonly machine: Machine;
  readonly ailment: Ailment | undefined;
}

/** Nodes that are to be there, and those of them that are broken. */
export interface Ward {
  readonly size: number;
  readonly unhealthy: number;
}

export interface Circumstances {
  readonly settings: HealingSettings;
  /** Of all pools of the cluster. */
  readonly cluster: Ward;
  /** Why nothing can be done now that needs the cluster's API: a drain. */
  readonly api: Problem | undefined;
  /** Why what is seen of the nodes is not to be acted upon yet; a person knows better. */
  readonly settling?: Problem | undefined;
  /** Why nothing can be asked of the cloud. */
  readonly cloud: Problem | undefined;
  readonly record: HealingRecord;
  readonly nowMs: number;
}

/** What a machine's mark is to be; the same object as before where nothing changes. */
export interface Verdict {
  readonly machine: Machine;
  readonly mark: RepairMark | undefined;
}

/** A machine whose turn it would be. */
export interface Candidate extends Patient {
  readonly reason: ConditionReason;
  readonly message: string;
  readonly isGone: boolean;
  readonly isRequested: boolean;
  /** Whether a reinstallation did not help. */
  readonly isEscalated: boolean;
}

/**
 * The marks of all machines of a pool. Pure. A machine whose server is gone goes first and waits for nothing: nothing can be killed by that. Then what a
 * person has asked for, which waits for the cluster's API and the cloud alone. Then the longest ill, one at a time.
 */
export function triage(patients: readonly Patient[], circumstances: Circumstances): readonly Verdict[] {
  const { nowMs, record } = circumstances;
  const candidates = candidatesOf(patients, record, nowMs);
  const kept = new Map(
    patients
      .filter(({ machine }) => !candidates.some((candidate) => candidate.machine === machine))
      .map((patient) => [patient.machine, keptMark(patient, circumstances.settings)]),
  );
  const underWay = [...kept].filter(([, mark]) => mark?.due && mark.reason !== ConditionReason.ServerVanished);
  let [inProgress] = underWay.map(([{ metadata }]) => metadata.name ?? '');
  const ward = { size: patients.length, unhealthy: patients.filter(({ ailment }) => ailment).length };
  const marks = new Map(kept);
  for (const candidate of candidates.toSorted(byUrgency)) {
    const hold = holdOf(candidate, { ...circumstances, pool: ward, inProgress });
    marks.set(candidate.machine, markOf(candidate, hold, circumstances));
    if (hold === undefined && !candidate.isGone) inProgress ??= candidate.machine.metadata.name ?? '';
  }
  return patients.map(({ machine }) => ({ machine, mark: marks.get(machine) }));
}

/** Those whose time limit is over, or of whom a person has asked it, and whose repair has not begun. */
export function candidatesOf(patients: readonly Patient[], record: HealingRecord, nowMs: number): readonly Candidate[] {
  return patients.flatMap((patient) => {
    const { machine, ailment } = patient;
    if (machine.metadata.deletionTimestamp !== undefined) return [];
    const current = markNow(machine);
    const isUnderWay = current?.due === true;
    const base = { ...patient, isGone: ailment?.isGone === true, isRequested: false, isEscalated: false };
    if (ailment?.isGone) {
      const isKnown = isUnderWay && current.reason === ConditionReason.ServerVanished;
      const isRequested = isRequestNew(machine, record);
      return isKnown ? [] : [{ ...base, reason: ailment.reason, message: ailment.message, isRequested }];
    }
    if (isUnderWay) {
      if (ailment === undefined || !hasReinstallFailed(patient, current, nowMs)) return [];
      return [{ ...base, reason: ailment.reason, message: ailment.message, isEscalated: true }];
    }
    if (isRequestNew(machine, record)) {
      const message = ailment ? `a person asked for it: ${ailment.message}` : 'a person asked for it';
      return [{ ...base, reason: ConditionReason.RepairRequested, message, isRequested: true }];
    }
    const isDue = ailment !== undefined && nowMs >= ailment.dueMs;
    const isEscalated = isBeingReinstalled(machine);
    return isDue ? [{ ...base, reason: ailment.reason, message: ailment.message, isEscalated }] : [];
  });
}

/** Its mark, unless that is of before a reset. */
function markNow(machine: Machine): RepairMark | undefined {
  const mark = machine.status?.marks?.repair;
  return mark && isMarkOfNow(machine, mark) ? mark : undefined;
}

/** The value of the request for a repair, if there is one. */
export function requestOf(machine: Machine): string | undefined {
  return requestIn(machine, REPAIR_ANNOTATION);
}

function isRequestNew(machine: Machine, { requests = [] }: HealingRecord): boolean {
  const met = requests.find(({ machine: name }) => name === machine.metadata.name);
  return isNewRequest(requestOf(machine), met?.value);
}

/** Whether the server was reinstalled for this mark, and that has not made it a node again in time. */
function hasReinstallFailed({ machine, ailment }: Patient, { strategy, time }: RepairMark, nowMs: number): boolean {
  if (strategy !== 'Reinstall' || machine.spec.reinstallTime !== time || ailment === undefined) return false;
  return ailment.sinceMs >= Date.parse(time) && nowMs >= ailment.dueMs;
}

/** The mark of one that is no candidate. */
function keptMark({ machine, ailment }: Patient, settings: HealingSettings): RepairMark | undefined {
  const current = markNow(machine);
  if (current === undefined) return undefined;
  // A hold outlives the time in which nothing can be said of the node.
  if (!current.due) return ailment === undefined ? undefined : current;
  if (isUnderReinstallation(machine, current)) return current;
  const isWorking = machine.status?.phase === 'Ready' && ailment === undefined;
  if (isReinstalledFor(machine, current)) return isWorking ? undefined : current;
  if (current.reason === ConditionReason.RepairRequested) return current;
  if (current.reason === ConditionReason.ServerVanished && requestOf(machine) !== undefined) return current;
  if (isExcluded(machine) || !settings.isEnabled) return undefined;
  return isWorking ? undefined : current;
}

/** Whether the pool has asked for it, and the disk is not written yet. */
function isUnderReinstallation({ spec, status }: Machine, { time }: RepairMark): boolean {
  return spec.reinstallTime === time && status?.installed?.reinstallTime !== time;
}

function isReinstalledFor(machine: Machine, { time, strategy }: RepairMark): boolean {
  return strategy === 'Reinstall' && machine.status?.installed?.reinstallTime === time && !isBeingReinstalled(machine);
}

function isExcluded({ metadata }: Machine): boolean {
  return metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined;
}

function byUrgency(a: Candidate, b: Candidate): number {
  const rank = ({ isGone, isRequested }: Candidate) => (isGone ? 2 : isRequested ? 1 : 0);
  const sinceMs = ({ ailment }: Candidate) => ailment?.sinceMs ?? 0;
  const byName = (a.machine.metadata.name ?? '').localeCompare(b.machine.metadata.name ?? '');
  return rank(b) - rank(a) || sinceMs(a) - sinceMs(b) || byName;
}

interface Rules extends Circumstances {
  readonly pool: Ward;
  /** The machine that is being repaired, if one is. */
  readonly inProgress: string | undefined;
}

/** What the repair waits for; undefined if it begins. */
function holdOf(candidate: Candidate, rules: Rules): Problem | undefined {
  const { settings, api, settling, cloud, record, nowMs, inProgress } = rules;
  if (isExcluded(candidate.machine)) {
    const message = `it has the annotation ${EXCLUDE_FROM_HEALING_ANNOTATION}: remove that to have it repaired`;
    return { reason: ConditionReason.ExcludedFromHealing, message };
  }
  if (!candidate.isRequested && !settings.isEnabled) {
    const message = `spec.healing.enabled of its pool is false: set it to true, delete the Machine, or annotate it with ${REPAIR_ANNOTATION}`;
    return { reason: ConditionReason.HealingDisabled, message };
  }
  if (candidate.isGone) return undefined;
  if (api ?? cloud) return api ?? cloud;
  if (candidate.isRequested) return undefined;
  if (settling) return settling;
  if (record.notBefore !== undefined && nowMs < Date.parse(record.notBefore)) {
    const { failures = 1, notBefore } = record;
    const last = failures === 1 ? 'the last repair' : `the last ${failures} repairs`;
    const message = `${last} in the pool did not help: the next one begins at ${notBefore}, or now if you annotate the Machine with ${REPAIR_ANNOTATION}`;
    return { reason: ConditionReason.RepairBackingOff, message };
  }
  const tooMany = tooManyUnhealthy(rules);
  if (tooMany) return tooMany;
  if (inProgress === undefined) return undefined;
  return { reason: ConditionReason.RepairInProgress, message: `${inProgress} is repaired first: one at a time` };
}

function tooManyUnhealthy({ settings, pool, cluster }: Rules): Problem | undefined {
  const { maxUnhealthy } = settings;
  const wards = [
    { ...pool, what: 'pool', most: mostUnhealthyOfPool(maxUnhealthy, pool.size) },
    { ...cluster, what: 'cluster', most: mostUnhealthyOfCluster(maxUnhealthy, cluster.size) },
  ];
  const crowded = wards.find(({ unhealthy, most }) => unhealthy > most);
  if (crowded === undefined) return undefined;
  const { what, size, most } = crowded;
  // Without how many there are: that changes from one look to the next.
  const message = `more than ${most} of the ${size} nodes of the ${what} are broken, which is more than spec.healing.maxUnhealthy (${maxUnhealthy}) allows: look for what they have in common`;
  return { reason: ConditionReason.TooManyUnhealthy, message };
}

function markOf(candidate: Candidate, hold: Problem | undefined, { settings, nowMs }: Circumstances): RepairMark {
  const current = markNow(candidate.machine);
  // After a reinstallation that did not help.
  const isToReplace = current?.due === false && current.strategy === 'Replace';
  const isKept = candidate.machine.metadata.annotations?.[KEEP_ANNOTATION] !== undefined;
  const strategy = candidate.isGone || candidate.isEscalated || isToReplace || isKept ? 'Replace' : settings.strategy;
  const now = formatTime(nowMs);
  if (hold === undefined) {
    const { reason, message } = candidate;
    return { due: true, reason, message: cut(message), time: now, strategy };
  }
  const { reason } = hold;
  const message = cut(`not repaired: ${hold.message}. ${candidate.reason}: ${candidate.message}`);
  const isSame = current?.due === false && current.reason === reason && current.strategy === strategy;
  // What is ill in other words is ill since the same time.
  if (isSame && current.message === message) return current;
  return { due: false, reason, message, time: current?.due === false ? current.time : now, strategy };
}
