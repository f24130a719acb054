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
/**
 * Volumes are listed every five minutes, so everything that began within an hour is known by then unless Fairway was
 * down.
 */
export const SETTLE_DELAY_MS = 15 * 60_000;
/** How long to keep checking an hour for usage discovered later, after an outage of Fairway. */
const RECHECK_INTERVAL_MS = 3 * 24 * HOUR_MS;
const BATCH_SIZE = 1_000;
const MAX_ATTEMPTS = 3;
/** OpenSearch shows new points after a second, and an abandoned call may still be in progress. */
const UNCLEAR_RETRY_MS = 30_000;

export interface PushOptions {
  readonly records: readonly UsageRecord[];
  readonly rating: Pick<Rating, 'dataFrames' | 'addDataFrames'>;
  readonly ledger: PushLedger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly price: HourlyPrice;
  /** The first hour to push if nothing has ever been pushed; defaults to the last hour. */
  readonly sinceMs: number | undefined;
  readonly print: (text: string) => void;
}

export interface PushResult {
  readonly hours: number;
  readonly points: number;
}

/**
 * Sends each completed hour to CloudKitty once, plus usage of earlier hours that was discovered later.
 *
 * **Guarantees** A point is sent only after checking that CloudKitty lacks it, while no other run sends. So a kill at
 * any moment, a lost response or a lost ledger neither duplicates nor loses anything.
 *
 * **Assumptions** CloudKitty returns stored points after at most 30 seconds.
 *
 * **Caveats** CloudKitty accepts no corrections: an amount that has changed since is reported, not sent.
 *
 * **Errors** OpenStackError, UsageDetailGone for hours whose details were aggregated, CommandError if another run has
 * taken over or the ledger is in the future.
 */
export async function pushUsage(options: PushOptions): Promise<PushResult> {
  const { ledger, clock, sinceMs } = options;
  const endMs = Math.floor((clock.now() - SETTLE_DELAY_MS) / HOUR_MS) * HOUR_MS;
  requirePast(ledger.nextMs, endMs);
  const firstMs = ledger.nextMs ?? firstHour(options.records, sinceMs ?? endMs - HOUR_MS, endMs);
  const fresh = hoursFrom(firstMs, endMs);
  const pushed = { hours: 0, points: 0 };
  const earlier = ledger.hours.filter((ms) => ms >= endMs - RECHECK_INTERVAL_MS && ms < firstMs);
  for (const hourMs of [...earlier, ...fresh]) {
    const rows = rowsOf(options, hourMs);
    const digest = digestOf(rows);
    if (ledger.digestOf(hourMs) === digest) continue;
    pushed.points += await sendMissing(options, hourMs, rows);
    pushed.hours += 1;
    await ledger.recordAccepted(hourMs, digest, endMs - RECHECK_INTERVAL_MS);
  }
  return pushed;
}

/** The clocks of two machines may show different hours. */
function requirePast(nextMs: number | undefined, endMs: number): void {
  if (nextMs === undefined || nextMs <= endMs + HOUR_MS) return;
  throw new CommandError(`all hours up to ${formatTime(nextMs)}, which is in the future, are recorded as sent`, {
    advice:
      'a clock is or was wrong: correct it, then correct "next" of the ConfigMap usage-pushed-to-… in fairway-system and the future hours in CloudKitty',
  });
}

/**
 * The first hour to send: not before the first known usage, however early the requested start. Usage from recent days
 * may still be discovered.
 */
function firstHour(records: readonly UsageRecord[], sinceMs: number, endMs: number): number {
  let firstMs = endMs - RECHECK_INTERVAL_MS;
  for (const { status } of records) {
    for (const { startTime } of status?.intervals ?? []) firstMs = Math.min(firstMs, Date.parse(startTime));
    for (const total of status?.totals ?? []) firstMs = Math.min(firstMs, periodSpan(total).fromMs);
  }
  return Math.max(sinceMs, Math.floor(firstMs / HOUR_MS) * HOUR_MS);
}

function hoursFrom(firstMs: number, endMs: number): number[] {
  return Array.from({ length: Math.max(0, (endMs - firstMs) / HOUR_MS) }, (_, index) => firstMs + index * HOUR_MS);
}

/** CloudKitty identifies a project by its id; usage of a project without a known id is sent once the id is known. */
function rowsOf({ records, clock }: PushOptions, hourMs: number): UsageRow[] {
  const span = { fromMs: hourMs, toMs: hourMs + HOUR_MS };
  const rows = usageReport(records, { ...span, nowMs: clock.now(), step: 'all', byCluster: true });
  return rows.filter(({ projectID, amount }) => projectID !== undefined && amount > 0);
}

/** Covers the amounts but not the price, which may change. */
function digestOf(rows: readonly UsageRow[]): string {
  const points = rows.map(({ clusterUID, projectID, namespace, resource, type, amount }) =>
    JSON.stringify([clusterUID, projectID, namespace, resource, type, amount]),
  );
  return createHash('sha256').update(points.toSorted().join('\n')).digest('hex').slice(0, 12);
}

/** Returns the number of points that were missing. */
async function sendMissing(options: PushOptions, hourMs: number, rows: readonly UsageRow[]): Promise<number> {
  const { rating, ledger, clock, signal } = options;
  const [frame] = dataFrames(rows, options.price);
  if (frame === undefined) return 0;
  for (let attempt = 1, sent = 0; ; attempt++) {
    const known = await knownPoints(options, hourMs, frame);
    if (attempt === 1) printDifferences(options, hourMs, frame, known);
    const missing = pointsOf(frame).filter(([key]) => !known.has(key));
    try {
      for (let at = 0; at < missing.length; at += BATCH_SIZE) {
        const batch = missing.slice(at, at + BATCH_SIZE);
        await ledger.renew();
        await rating.addDataFrames([frameWith(frame, batch)], { signal });
        sent += batch.length;
      }
      return sent;
    } catch (error) {
      const isUnclear = isOpenStackError(error) && error.outcome === 'unknown';
      if (!isUnclear || attempt === MAX_ATTEMPTS) throw error;
      await clock.sleep(UNCLEAR_RETRY_MS, signal);
    }
  }
}

type KeyedPoint = readonly [key: string, metric: string, point: DataPoint];

function pointsOf({ usage }: DataFrame): KeyedPoint[] {
  return Object.entries(usage).flatMap(([metric, points]) =>
    points.map((point): KeyedPoint => [keyOf(metric, point.groupby), metric, point]),
  );
}

function frameWith({ period }: DataFrame, points: readonly KeyedPoint[]): DataFrame {
  const byMetric = Map.groupBy(points, ([, metric]) => metric);
  return {
    period,
    usage: Object.fromEntries([...byMetric].map(([metric, some]) => [metric, some.map(([, , point]) => point)])),
  };
}

/** Uses only the keys of `groupby`, because storage backends add their own. */
function keyOf(metric: string, groupby: Readonly<Record<string, unknown>>): string {
  const { project_id, namespace, resource_type, cluster_id } = groupby;
  return JSON.stringify([metric, project_id, namespace, resource_type, cluster_id].map(String));
}

/** Quantities that CloudKitty already has for the hour. */
async function knownPoints(
  { rating, signal }: PushOptions,
  hourMs: number,
  frame: DataFrame,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  const { begin } = frame.period;
  // Loki places a point at the end of its period and excludes the end of a range.
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
    const storedPoint = known.get(key);
    if (storedPoint === undefined || Math.abs(storedPoint - Number(vol.qty)) < 0.000_002) continue;
    const owner = `${groupby['namespace']}/${metadata['cluster_name']} (project ${groupby['project_id']})`;
    print(
      `Warning: ${formatTime(hourMs)} ${metric} ${groupby['resource_type']} of ${owner}: CloudKitty has ${storedPoint.toFixed(6)} ${vol.unit}, the records have ${vol.qty}; CloudKitty takes no corrections, so correct the bill\n`,
    );
  }
}
