import { USAGE_RESOURCES, type UsageRecord, type UsageResource } from '../../kinds/usage-record.ts';
import { overlapSeconds, periodSpan, type Span, spanOf } from './amounts.ts';

/** How rows are grouped, always including the project. */
export type UsageStep = 'hour' | 'day' | 'month' | 'all';

/** One row of a report. */
export interface UsageRow extends Span {
  readonly namespace: string;
  readonly projectID: string | undefined;
  /** Undefined if rows aggregate several clusters. */
  readonly cluster: string | undefined;
  readonly clusterUID: string | undefined;
  readonly resource: UsageResource;
  readonly type: string;
  /** In seconds; for volumes, in GiB-seconds. */
  readonly amount: number;
  /** The uncertainty: the actual amount may be lower by up to this much. */
  readonly uncertain: number;
}

export interface UsageQuery extends Span {
  readonly nowMs: number;
  readonly step: UsageStep;
  /** Whether each cluster has its own rows. */
  readonly byCluster: boolean;
}

/** Thrown if a report starts or ends within a period of which only the sum is left. */
export class UsageDetailExpiredError extends Error {
  override readonly name = 'UsageDetailGone';
  readonly period: string;

  constructor(period: string) {
    super(`usage of ${period} is recorded as one sum: a report cannot start or end within it`);
    this.period = period;
  }
}

/** Usage in a time span, in rows by period, project, resource and type. Pure. Throws UsageDetailExpiredError. */
export function usageReport(records: readonly UsageRecord[], query: UsageQuery): UsageRow[] {
  const { fromMs, step } = query;
  // Accurate to the second, like the records.
  const nowMs = Math.floor(query.nowMs / 1000) * 1000;
  const rows = new Map<string, UsageRow>();
  for (const window of windowsOf({ fromMs, toMs: Math.min(query.toMs, nowMs) }, step)) {
    for (const record of records) {
      for (const part of partsWithin(record, window, nowMs)) {
        if (part.amount === 0 && part.uncertain === 0) continue;
        const row = { ...subjectOf(record, query), ...window, ...part };
        const key = JSON.stringify([row.fromMs, row.namespace, row.clusterUID, row.projectID, row.resource, row.type]);
        const known = rows.get(key);
        const sum = known && { amount: known.amount + row.amount, uncertain: known.uncertain + row.uncertain };
        rows.set(key, { ...row, ...sum });
      }
    }
  }
  return [...rows.values()].sort(compareRows);
}

type Part = Pick<UsageRow, 'resource' | 'type' | 'amount' | 'uncertain'>;

function* partsWithin({ status }: UsageRecord, window: Span, nowMs: number): Generator<Part> {
  for (const interval of status?.intervals ?? []) {
    const { resource, type, quantity = 1, uncertainSeconds = 0 } = interval;
    const span = spanOf(interval, nowMs);
    const isEndWithin = span.toMs > window.fromMs && span.toMs <= window.toMs;
    const uncertain = isEndWithin ? quantity * uncertainSeconds : 0;
    yield { resource, type, amount: quantity * overlapSeconds(span, window), uncertain };
  }
  for (const total of status?.totals ?? []) {
    const span = periodSpan(total);
    if (span.toMs <= window.fromMs || span.fromMs >= window.toMs) continue;
    // A sum whose period is not over yet lies entirely within a window that ends now.
    const isWhole = span.fromMs >= window.fromMs && (span.toMs <= window.toMs || window.toMs === nowMs);
    if (!isWhole) throw new UsageDetailExpiredError(total.period);
    yield { resource: total.resource, type: total.type, amount: total.amount, uncertain: total.uncertain ?? 0 };
  }
}

function subjectOf({ spec, status }: UsageRecord, { byCluster }: UsageQuery) {
  const { namespace, clusterName, clusterUID } = spec;
  const cluster = byCluster ? { cluster: clusterName, clusterUID } : { cluster: undefined, clusterUID: undefined };
  return { namespace, projectID: status?.projectID, ...cluster };
}

/** The time spans covered by a report's rows, split at UTC hours, days or months. */
export function* windowsOf({ fromMs, toMs }: Span, step: UsageStep): Generator<Span> {
  for (let atMs = fromMs; atMs < toMs; ) {
    const nextMs = Math.min(toMs, nextBoundary(atMs, step) ?? toMs);
    yield { fromMs: atMs, toMs: nextMs };
    atMs = nextMs;
  }
}

function nextBoundary(ms: number, step: UsageStep): number | undefined {
  const date = new Date(ms);
  switch (step) {
    case 'hour':
      return (Math.floor(ms / 3_600_000) + 1) * 3_600_000;
    case 'day':
      return (Math.floor(ms / 86_400_000) + 1) * 86_400_000;
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    case 'all':
      return undefined;
  }
}

function compareRows(a: UsageRow, b: UsageRow): number {
  return (
    a.fromMs - b.fromMs ||
    a.namespace.localeCompare(b.namespace) ||
    (a.cluster ?? '').localeCompare(b.cluster ?? '') ||
    (a.clusterUID ?? '').localeCompare(b.clusterUID ?? '') ||
    USAGE_RESOURCES.indexOf(a.resource) - USAGE_RESOURCES.indexOf(b.resource) ||
    a.type.localeCompare(b.type)
  );
}
