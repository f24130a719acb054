import { formatTime } from '@fairway/base/clock';
import { type CronSchedule, parseCron } from '@fairway/base/cron-schedule';
import type { NodePoolSpec } from '../kinds/node-pool.ts';
import { type BoundsSchedule, type BoundsStatus, upperBound } from '../kinds/pool-bounds.ts';
import { cronProblem } from './cron-problem.ts';
import { timeZoneProblem } from './time-zone.ts';

export interface CurrentBounds {
  readonly bounds: BoundsStatus;
  /** The time until which the bounds are known to apply; undefined if forever. */
  readonly untilMs: number | undefined;
}

/** How many starts and ends are examined to find the next change; usually one is enough. */
const MAX_STEPS = 40;
/** `status.bounds.problem`. */
const MAX_PROBLEM_LENGTH = 1024;

/** Bounds cached by spec, each with its validity period, because computing one takes milliseconds. */
const known = new WeakMap<NodePoolSpec, CurrentBounds & { readonly fromMs: number }>();

/**
 * The pool's current bounds according to its schedules, and the next change; undefined for a pool without schedules.
 * Pure and level-triggered: a schedule created between its start and end applies immediately, and missed times have no
 * effect on the result. Starts and ends follow `parseCron`, including clock changes.
 */
export function currentBounds(spec: NodePoolSpec, nowMs: number): CurrentBounds | undefined {
  const { enabled, schedules = [] } = spec.autoscaling;
  if (!enabled || schedules.length === 0) return undefined;
  const last = known.get(spec);
  const isValid = last && last.fromMs <= nowMs && nowMs < (last.untilMs ?? Number.POSITIVE_INFINITY);
  if (isValid) return last;
  const problems = schedules.map(problemOf);
  const periods = schedules.flatMap((schedule, index) =>
    problems[index] === undefined ? [new Period(schedule, nowMs)] : [],
  );
  const problem = problems.find((each) => each !== undefined)?.slice(0, MAX_PROBLEM_LENGTH);
  const now = chosen(spec, periods);
  const { next, untilMs } = nextChange(spec, periods, now);
  const bounds = { ...now, ...(next && { nextChange: next }), ...(problem !== undefined && { problem }) };
  const inForce = { bounds, untilMs, fromMs: nowMs };
  known.set(spec, inForce);
  return inForce;
}

type Bounds = Pick<BoundsStatus, 'minReplicas' | 'maxReplicas' | 'schedule'>;

/** The bounds of the last active schedule, or else the pool's own. */
function chosen(spec: NodePoolSpec, periods: readonly Period[]): Bounds {
  const schedule = periods.findLast(({ isOpen }) => isOpen)?.schedule;
  const { minReplicas = spec.minReplicas, maxReplicas = upperBound(spec), name } = schedule ?? {};
  return { minReplicas, maxReplicas, ...(name !== undefined && { schedule: name }) };
}

function nextChange(
  spec: NodePoolSpec,
  periods: readonly Period[],
  now: Bounds,
): { readonly next?: BoundsStatus['nextChange']; readonly untilMs: number | undefined } {
  let untilMs: number | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    const timeMs = Math.min(...periods.map(({ nextMs }) => nextMs));
    if (!Number.isFinite(timeMs)) return { untilMs: undefined };
    untilMs = timeMs;
    for (const period of periods) period.moveTo(timeMs);
    const nextBounds = chosen(spec, periods);
    const differs =
      nextBounds.minReplicas !== now.minReplicas ||
      nextBounds.maxReplicas !== now.maxReplicas ||
      nextBounds.schedule !== now.schedule;
    if (differs) return { next: { time: formatTime(timeMs), ...nextBounds }, untilMs };
  }
  return { untilMs };
}

/** The state of a schedule at a point in time. It can be advanced to the next start or end. */
class Period {
  readonly schedule: BoundsSchedule;
  isOpen: boolean;
  readonly #start: CronSchedule;
  readonly #end: CronSchedule;
  #startMs: number;
  #endMs: number;

  constructor(schedule: BoundsSchedule, nowMs: number) {
    this.schedule = schedule;
    this.#start = parseCron(schedule.start, schedule.timeZone);
    this.#end = parseCron(schedule.end, schedule.timeZone);
    const startedMs = this.#start.last(nowMs);
    const endedMs = this.#end.last(nowMs);
    this.isOpen =
      startedMs !== undefined && startedMs === endedMs
        ? this.#isOpenAfterBoth(startedMs)
        : startedMs !== undefined && (endedMs === undefined || startedMs > endedMs);
    this.#startMs = this.#start.next(nowMs) ?? Number.POSITIVE_INFINITY;
    this.#endMs = this.#end.next(nowMs) ?? Number.POSITIVE_INFINITY;
  }

  get nextMs(): number {
    return Math.min(this.#startMs, this.#endMs);
  }

  moveTo(timeMs: number): void {
    const isEnd = this.#endMs === timeMs;
    const isStart = this.#startMs === timeMs;
    if (isEnd || isStart) this.isOpen = isStart && (!isEnd || this.#isOpenAfterBoth(timeMs));
    if (isEnd) this.#endMs = this.#end.next(timeMs) ?? Number.POSITIVE_INFINITY;
    if (isStart) this.#startMs = this.#start.next(timeMs) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * A schedule that ends and starts at the same time stays active; one whose start and end are both skipped by a clock
   * change never starts.
   */
  #isOpenAfterBoth(timeMs: number): boolean {
    return (this.#start.lastByWallClock(timeMs) ?? 0) >= (this.#end.lastByWallClock(timeMs) ?? 0);
  }
}

/** Why a schedule that was stored without passing admission is ignored. */
function problemOf({ start, end, timeZone }: BoundsSchedule, index: number): string | undefined {
  const field = `spec.autoscaling.schedules[${index}]`;
  const wrong = [
    { name: 'start', problem: cronProblemOf(start) },
    { name: 'end', problem: cronProblemOf(end) },
    { name: 'timeZone', problem: timeZoneProblem(timeZone) },
  ].find(({ problem }) => problem !== undefined);
  return wrong && `${field}.${wrong.name}: ${wrong.problem}`;
}

const MAX_KNOWN_CRONS = 1_000;
const knownCrons = new Map<string, string | undefined>();

/** A cached version of `cronProblem`, which examines all times in a day. */
function cronProblemOf(text: string): string | undefined {
  if (!knownCrons.has(text)) {
    if (knownCrons.size >= MAX_KNOWN_CRONS) knownCrons.clear();
    knownCrons.set(text, cronProblem(text));
  }
  return knownCrons.get(text);
}
