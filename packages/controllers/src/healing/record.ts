import { ConditionReason } from '@fairway/api/conditions';
import { requestToRecord } from '@fairway/api/domain/request';
import type { Machine } from '@fairway/api/kinds/machine';
import type { HealingRecord, PastRepair } from '@fairway/api/kinds/node-pool-healing';
import { formatTime } from '@fairway/base/clock';
import { type Candidate, requestOf } from './repair-plan.ts';

/** If a machine becomes unhealthy again this soon after a repair, the repair did not help. */
const RELAPSE_WINDOW_MS = 3_600_000;
/** The backoff after a repair that did not help; it doubles each time. */
const INITIAL_PAUSE_MS = 600_000;
const MAX_PAUSE_MS = 6 * 3_600_000;
const MAX_REPAIRS = 10;

export interface RecordFacts {
  /** The pool's machines, excluding those that are being deleted. */
  readonly machines: readonly Machine[];
  readonly candidates: readonly Candidate[];
  readonly nowMs: number;
}

/**
 * The record after observing the pool's machines; undefined if there is nothing to record. Pure: derived from the
 * marks, so a crash between a mark and the record loses nothing.
 *
 * A repair has failed if its machine, or a replacement, becomes unhealthy within an hour of its end. A repair requested
 * by a user, whose node may have been healthy, fails only if its own reinstallation did not finish. Each failure
 * doubles the backoff before the next repair.
 */
export function nextRecord(last: HealingRecord, facts: RecordFacts): HealingRecord | undefined {
  const { machines, nowMs } = facts;
  const ended = [...(last.repairs ?? []), ...newRepairs(last, machines)].map((repair) => withEnd(repair, facts));
  const failed = ended.filter((repair) => hasRelapsed(repair, facts));
  const repairs = ended
    .map((repair) => (failed.includes(repair) ? { ...repair, hasFailed: true } : repair))
    .filter((repair) => isRecent(repair, nowMs))
    .slice(-MAX_REPAIRS);
  const requests = requestsOf(last, machines);
  const pause = pauseOf(last, failed.length > 0, repairs, facts);
  const record: HealingRecord = {
    ...(repairs.length > 0 && { repairs }),
    ...pause,
    ...(requests.length > 0 && { requests }),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

/** When the record needs to be re-evaluated without an event; undefined if never. */
export function recordDueMs(
  { repairs = [], notBefore, failures = 0 }: HealingRecord,
  nowMs: number,
): number | undefined {
  const ends = repairs.flatMap(({ endTime }) =>
    endTime === undefined ? [] : [Date.parse(endTime) + RELAPSE_WINDOW_MS],
  );
  const next = [...ends, ...(notBefore !== undefined && failures > 0 ? [Date.parse(notBefore)] : [])];
  const later = next.filter((ms) => ms > nowMs);
  return later.length === 0 ? undefined : Math.min(...later);
}

function newRepairs({ repairs = [] }: HealingRecord, machines: readonly Machine[]): PastRepair[] {
  return machines.flatMap(({ metadata, status }) => {
    const { name: machine = '' } = metadata;
    const mark = status?.marks?.repair;
    if (!mark?.due || repairs.some((known) => known.machine === machine && known.time === mark.time)) return [];
    const { time, reason, strategy } = mark;
    return [{ machine, time, reason, strategy }];
  });
}

/** A repair ends when its mark or its machine is removed. */
function withEnd(repair: PastRepair, { machines, nowMs }: RecordFacts): PastRepair {
  if (repair.endTime !== undefined) return repair;
  const machine = machines.find(({ metadata }) => metadata.name === repair.machine);
  const mark = machine?.status?.marks?.repair;
  return mark?.due && mark.time === repair.time ? repair : { ...repair, endTime: formatTime(nowMs) };
}

function hasRelapsed(repair: PastRepair, { candidates, nowMs }: RecordFacts): boolean {
  if (repair.hasFailed || !isRecent(repair, nowMs)) return false;
  return candidates.some(({ machine, isServerMissing, isRequested, isEscalated }) => {
    if (isServerMissing || isRequested) return false;
    const { name, creationTimestamp = '' } = machine.metadata;
    const isSame = name === repair.machine;
    if (isSame && isEscalated) return true;
    // Not started by healing: a later failure of the node says nothing about future repairs.
    if (repair.reason === ConditionReason.RepairRequested) return false;
    return (isSame && repair.endTime !== undefined) || Date.parse(creationTimestamp) >= Date.parse(repair.time);
  });
}

function isRecent({ endTime }: PastRepair, nowMs: number): boolean {
  return endTime === undefined || nowMs < Date.parse(endTime) + RELAPSE_WINDOW_MS;
}

function pauseOf(
  { failures = 0, notBefore }: HealingRecord,
  hasFailed: boolean,
  repairs: readonly PastRepair[],
  { candidates, nowMs }: RecordFacts,
): Pick<HealingRecord, 'failures' | 'notBefore'> {
  if (hasFailed) {
    const pauseMs = Math.min(INITIAL_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
    return { failures: failures + 1, notBefore: formatTime(nowMs + pauseMs) };
  }
  const isOver = repairs.length === 0 && candidates.length === 0;
  if (failures === 0 || isOver) return {};
  return { failures, ...(notBefore !== undefined && { notBefore }) };
}

/** For existing machines. A request is fulfilled as soon as its repair starts. */
function requestsOf({ requests = [] }: HealingRecord, machines: readonly Machine[]): HealingRecord['requests'] & {} {
  return machines.flatMap((machine) => {
    const { metadata, status } = machine;
    const known = requests.find((met) => met.machine === metadata.name);
    const value = requestOf(machine);
    const hasStarted = status?.marks?.repair?.due && status.marks.repair.reason === ConditionReason.RepairRequested;
    const followed = hasStarted ? requestToRecord(value, known?.value) : known?.value;
    return followed === undefined ? [] : [{ machine: metadata.name ?? '', value: followed }];
  });
}
