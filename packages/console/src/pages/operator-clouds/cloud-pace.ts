import {
  CALL_OUTCOMES,
  type CallOutcome,
  type CloudReading,
  type Reading,
  type ServiceCounts,
} from './cloud-reading.ts';

/** Counts per minute between two readings. */
export interface ServicePace {
  readonly service: string;
  readonly calls: Readonly<Record<CallOutcome, number>>;
  readonly total: number;
  readonly retries: number;
  /** From sending a call to receiving its complete response; undefined if there were no calls. */
  readonly meanMs: number | undefined;
}

export interface CloudPace {
  readonly atMs: number;
  readonly services: readonly ServicePace[];
  readonly calls: Readonly<Record<CallOutcome, number>>;
  readonly total: number;
  /** How long calls waited for the budget; undefined if none waited. */
  readonly meanWaitMs: number | undefined;
}

const MINUTE_MS = 60_000;
const NOTHING: ServiceCounts = { calls: { answered: 0, refused: 0, failed: 0, silent: 0 }, retries: 0, seconds: 0 };

/** The pace of a cloud between two readings. A count that has decreased was reset by a restart of the replica. */
export function paceBetween(before: Reading, after: Reading, cloud: string): CloudPace {
  const minutes = Math.max(after.atMs - before.atMs, 1) / MINUTE_MS;
  const [oldReading, now] = [before.clouds.get(cloud), after.clouds.get(cloud)];
  const services = [...(now?.services ?? [])]
    .map(([service, counts]) => servicePace(service, oldReading?.services.get(service) ?? NOTHING, counts, minutes))
    .sort((a, b) => a.service.localeCompare(b.service));
  const calls = mapOutcomes((outcome) => services.reduce((sum, pace) => sum + pace.calls[outcome], 0));
  return { atMs: after.atMs, services, calls, total: totalOf(calls), meanWaitMs: meanWaitMs(oldReading, now) };
}

/** The pace between consecutive readings. */
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

/** Calls that failed through the cloud's fault. */
export function failuresOf({ calls }: Pick<CloudPace, 'calls'>): number {
  return calls.failed + calls.silent;
}

function servicePace(service: string, before: ServiceCounts, after: ServiceCounts, minutes: number): ServicePace {
  const callCounts = mapOutcomes((outcome) => increase(before.calls[outcome], after.calls[outcome]));
  const calls = mapOutcomes((outcome) => callCounts[outcome] / minutes);
  const count = totalOf(callCounts);
  const meanMs = count === 0 ? undefined : (increase(before.seconds, after.seconds) * 1000) / count;
  return { service, calls, total: totalOf(calls), retries: increase(before.retries, after.retries) / minutes, meanMs };
}

function meanWaitMs(before: CloudReading | undefined, after: CloudReading | undefined): number | undefined {
  const waitCount = increase(before?.waits ?? 0, after?.waits ?? 0);
  return waitCount === 0
    ? undefined
    : (increase(before?.waitedSeconds ?? 0, after?.waitedSeconds ?? 0) * 1000) / waitCount;
}

function increase(before: number, after: number): number {
  return after < before ? after : after - before;
}

function mapOutcomes(valueOf: (outcome: CallOutcome) => number): Record<CallOutcome, number> {
  return {
    answered: valueOf('answered'),
    refused: valueOf('refused'),
    failed: valueOf('failed'),
    silent: valueOf('silent'),
  };
}

function totalOf(calls: Readonly<Record<CallOutcome, number>>): number {
  return CALL_OUTCOMES.reduce((sum, outcome) => sum + calls[outcome], 0);
}
