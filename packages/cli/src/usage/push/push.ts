import { createHash } from 'node:crypto';
import { periodSpan } from '@fairway/api/domain/usage/amounts';
import { type UsageRow, usageReport } from '@fairway/api/domain/usage/report';
import type { UsageRecord } from '@fairway/api/kinds/usage-record';
import { type Clock, formatTime } from '@fairway/base/clock';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Rating } from '@fairway/openstack/rating/rating';
import type { DataFrame, DataPoint } from '@fairway/openstack/types/rating';
import { CommandError } from '@fairway/service/command-error';
import { dataFrames, type HourlyPrice } from '../data-frames.ts';
import type { PushLedger } from './ledger.ts';

export const HOUR_MS = 3_600_000;
/** Volumes are listed every five minutes: what began within an hour is known by then, unless nobody looked. */
export const SETTLED_MS = 15 * 60_000;
/** How long it is looked whether more became known of an hour, after a Fairway that was away. */
const RECHECK_MS = 3 * 24 * HOUR_MS;
const BATCH = 1_000;
const ATTEMPTS = 3;
/** OpenSearch shows what it took after a second, and a call that was given up may still be under way. */
const UNCLEAR_MS = 30_000;

export interface PushOptions {
  readonly records: readonly UsageRecord[];
  readonly rating: Pick<Rating, 'dataFrames' | 'addDataFrames'>;
  readonly ledger: PushLedger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly price: HourlyPrice;
  /** The first hour, if none was ever pushed; by default the last one. */
  readonly sinceMs: number | undefined;
  readonly print: (text: string) => void;
}

export interface Pushed {
  readonly hours: number;
  readonly points: number;
}

/**
 * Sends each hour that is over to CloudKitty, once, and what became known later of those before.
 *
 * **Guarantees** A point is sent after CloudKitty was asked for it, while no other run sends; so a kill at any moment, a call without an answer and a lost ledger double nothing and lose nothing.
 *
 * **Assumptions** What CloudKitty has taken, it tells of 30 seconds later.
 *
 * **Caveats** It takes no corrections: an amount that has changed since is told, not sent.
 *
 * **Errors** OpenStackError, UsageDetailGone of hours that are not told apart any more, CommandError if another run has taken over or the ledger is of the future.
 */
export async function pushUsage(options: PushOptions): Promise<Pushed> {
  const { ledger, clock, sinceMs } = options;
  const endMs = Math.floor((clock.now() - SETTLED_MS) / HOUR_MS) * HOUR_MS;
  requirePast(ledger.nextMs, endMs);
  const firstMs = ledger.nextMs ?? firstHour(options.records, sinceMs ?? endMs - HOUR_MS, endMs);
  const fresh = hoursFrom(firstMs, endMs);
  const pushed = { hours: 0, points: 0 };
  const earlier = ledger.hours.filter((ms) => ms >= endMs - RECHECK_MS && ms < firstMs);
  for (const hourMs of [...earlier, ...fresh]) {
    const rows = rowsOf(options, hourMs);
    const digest = digestOf(rows);
    if (ledger.digestOf(hourMs) === digest) continue;
    pushed.points += await sendMissing(options, hourMs, rows);
    pushed.hours += 1;
    await ledger.accepted(hourMs, digest, endMs - RECHECK_MS);
  }
  return pushed;
}

/** Clocks of two machines may lie in two hours. */
function requirePast(nextMs: number | undefined, endMs: number): void {
  if (nextMs === undefined || nextMs <= endMs + HOUR_MS) return;
  throw new CommandError(`all hours up to ${formatTime(nextMs)}, which is in the future, are recorded as sent`, {
    advice:
      'a clock is or was wrong: correct it, then correct "next" of the ConfigMap usage-pushed-to-… in fairway-system and the future hours in CloudKitty',
  });
}

/** Before the first thing that is known there is nothing to send, however early it is to begin; but of the last days more may become known. */
function firstHour(records: readonly UsageRecord[], sinceMs: number, endMs: number): number {
  let firstMs = endMs - RECHECK_MS;
  for (const { status } of records) {
    for (const { startTime } of status?.intervals ?? []) firstMs = Math.min(firstMs, Date.parse(startTime));
    for (const total of status?.totals ?? []) firstMs = Math.min(firstMs, periodSpan(total).fromMs);
  }
  return Math.max(sinceMs, Math.floor(firstMs / HOUR_MS) * HOUR_MS);
}

function hoursFrom(firstMs: number, endMs: number): number[] {
  return Array.from({ length: Math.max(0, (endMs - firstMs) / HOUR_MS) }, (_, index) => firstMs + index * HOUR_MS);
}

/** CloudKitty knows a project by its id: what has none yet is sent when it has. */
function rowsOf({ records, clock }: PushOptions, hourMs: number): UsageRow[] {
  const span = { fromMs: hourMs, toMs: hourMs + HOUR_MS };
  const rows = usageReport(records, { ...span, nowMs: clock.now(), step: 'all', byCluster: true });
  return rows.filter(({ projectID, amount }) => projectID !== undefined && amount > 0);
}

/** Of what is counted; the price may change. */
function digestOf(rows: readonly UsageRow[]): string {
  const points = rows.map(({ clusterUID, projectID, namespace, resource, type, amount }) =>
    JSON.stringify([clusterUID, projectID, namespace, resource, type, amount]),
  );
  return createHash('sha256').update(points.toSorted().join('\n')).digest('hex').slice(0, 12);
}

/** How many points were missing. */
async function sendMissing(options: PushOptions, hourMs: number, rows: readonly UsageRow[]): Promise<number> {
  const { rating, ledger, clock, signal } = options;
  const [frame] = dataFrames(rows, options.price);
  if (frame === undefined) return 0;
  for (let attempt = 1, sent = 0; ; attempt++) {
    const known = await knownPoints(options, hourMs, frame);
    if (attempt === 1) printDifferences(options, hourMs, frame, known);
    const missing = pointsOf(frame).filter(([key]) => !known.has(key));
    try {
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH);
        await ledger.renew();
        await rating.addDataFrames([framed(frame, batch)], { signal });
        sent += batch.length;
      }
      return sent;
    } catch (error) {
      const isUnclear = isOpenStackError(error) && error.outcome === 'unknown';
      if (!isUnclear || attempt === ATTEMPTS) throw error;
      await clock.sleep(UNCLEAR_MS, signal);
    }
  }
}

type Keyed = readonly [key: string, metric: string, point: DataPoint];

function pointsOf({ usage }: DataFrame): Keyed[] {
  return Object.entries(usage).flatMap(([metric, points]) =>
    points.map((point): Keyed => [keyOf(metric, point.groupby), metric, point]),
  );
}

function framed({ period }: DataFrame, points: readonly Keyed[]): DataFrame {
  const byMetric = Map.groupBy(points, ([, metric]) => metric);
  return {
    period,
    usage: Object.fromEntries([...byMetric].map(([metric, some]) => [metric, some.map(([, , point]) => point)])),
  };
}

/** By what is in `groupby`: storages add keys of their own. */
function keyOf(metric: string, groupby: Readonly<Record<string, unknown>>): string {
  const { project_id, namespace, resource_type, cluster_id } = groupby;
  return JSON.stringify([metric, project_id, namespace, resource_type, cluster_id].map(String));
}

/** Quantities of what CloudKitty has of the hour already. */
async function knownPoints(
  { rating, signal }: PushOptions,
  hourMs: number,
  frame: DataFrame,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const { begin } = frame.period;
  // Loki has a point at the end of its period, and leaves out the end of a range.
  const end = formatTime(hourMs + HOUR_MS + 1_000);
  for (const metric of Object.keys(frame.usage)) {
    for await (const { period, usage } of rating.dataFrames({ begin, end, metric }, { signal })) {
      if (Date.parse(period.begin) !== Date.parse(begin)) continue;
      for (const point of usage[metric] ?? []) {
        const key = keyOf(metric, point.groupby);
        known.set(key, (known.get(key) ?? 0) + Number(point.vol.qty));
      }
    }
  }
  return known;
}

function printDifferences(
  { print }: PushOptions,
  hourMs: number,
  frame: DataFrame,
  known: ReadonlyMap<string, number>,
): void {
  for (const [key, metric, { vol, groupby, metadata }] of pointsOf(frame)) {
    const there = known.get(key);
    if (there === undefined || Math.abs(there - Number(vol.qty)) < 0.000_002) continue;
    const whose = `${groupby['namespace']}/${metadata['cluster_name']} (project ${groupby['project_id']})`;
    print(
      `Warning: ${formatTime(hourMs)} ${metric} ${groupby['resource_type']} of ${whose}: CloudKitty has ${there.toFixed(6)} ${vol.unit}, the records have ${vol.qty}; CloudKitty takes no corrections, so correct the bill\n`,
    );
  }
}
