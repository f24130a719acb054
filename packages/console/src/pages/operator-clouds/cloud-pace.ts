import { ANSWERS, type Answer, type CloudReading, type Reading, type ServiceCounts } from './cloud-reading.ts';

/** What happened between two readings, a minute. */
export interface ServicePace {
  readonly service: string;
  readonly calls: Readonly<Record<Answer, number>>;
  readonly total: number;
  readonly retries: number;
  /** From sending a call to the end of its answer; undefined if there was none. */
  readonly meanMs: number | undefined;
}

export interface CloudPace {
  readonly atMs: number;
  readonly services: readonly ServicePace[];
  readonly calls: Readonly<Record<Answer, number>>;
  readonly total: number;
  /** How long calls waited for the budget; undefined if there was none. */
  readonly meanWaitMs: number | undefined;
}

const MINUTE_MS = 60_000;
const NOTHING: ServiceCounts = { calls: { answered: 0, refused: 0, failed: 0, silent: 0 }, retries: 0, seconds: 0 };

/** The pace of a cloud between two readings. A count that has fallen began anew with its replica. */
export function paceBetween(before: Reading, after: Reading, cloud: string): CloudPace {
  const minutes = Math.max(after.atMs - before.atMs, 1) / MINUTE_MS;
  const [old, now] = [before.clouds.get(cloud), after.clouds.get(cloud)];
  const services = [...(now?.services ?? [])]
    .map(([service, counts]) => servicePace(service, old?.services.get(service) ?? NOTHING, counts, minutes))
    .sort((a, b) => a.service.localeCompare(b.service));
  const calls = byAnswer((answer) => services.reduce((sum, pace) => sum + pace.calls[answer], 0));
  return { atMs: after.atMs, services, calls, total: totalOf(calls), meanWaitMs: meanWaitMs(old, now) };
}

/** Paces from each reading to the next. */
export function pacesOf(readings: readonly Reading[], cloud: string): readonly CloudPace[] {
  return readings.slice(1).map((reading, index) => paceBetween(readings[index] as Reading, reading, cloud));
}

/** The pace of the last `windowMs`; undefined before there are two readings. */
export function latestPace(readings: readonly Reading[], cloud: string, windowMs: number): CloudPace | undefined {
  const last = readings.at(-1);
  if (last === undefined || readings.length < 2) return undefined;
  const first = readings.find(({ atMs }) => last.atMs - atMs <= windowMs + 1_000) ?? last;
  return paceBetween(first === last ? (readings.at(-2) as Reading) : first, last, cloud);
}

/** Calls that the cloud did not carry out, and is to blame for. */
export function failuresOf({ calls }: Pick<CloudPace, 'calls'>): number {
  return calls.failed + calls.silent;
}

function servicePace(service: string, before: ServiceCounts, after: ServiceCounts, minutes: number): ServicePace {
  const made = byAnswer((answer) => grown(before.calls[answer], after.calls[answer]));
  const calls = byAnswer((answer) => made[answer] / minutes);
  const count = totalOf(made);
  const meanMs = count === 0 ? undefined : (grown(before.seconds, after.seconds) * 1000) / count;
  return { service, calls, total: totalOf(calls), retries: grown(before.retries, after.retries) / minutes, meanMs };
}

function meanWaitMs(before: CloudReading | undefined, after: CloudReading | undefined): number | undefined {
  const waits = grown(before?.waits ?? 0, after?.waits ?? 0);
  return waits === 0 ? undefined : (grown(before?.waitedSeconds ?? 0, after?.waitedSeconds ?? 0) * 1000) / waits;
}

function grown(before: number, after: number): number {
  return after < before ? after : after - before;
}

function byAnswer(valueOf: (answer: Answer) => number): Record<Answer, number> {
  return {
    answered: valueOf('answered'),
    refused: valueOf('refused'),
    failed: valueOf('failed'),
    silent: valueOf('silent'),
  };
}

function totalOf(calls: Readonly<Record<Answer, number>>): number {
  return ANSWERS.reduce((sum, answer) => sum + calls[answer], 0);
}
