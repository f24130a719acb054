import type { UsageInterval, UsageRecordStatus, UsageTotal } from '../../kinds/usage-record.ts';
import { dayOf, detailFromMs, partsOf, periodSpan, spanOf } from './amounts.ts';

/**
 * How long an ended interval is kept separately: it is resumed if it turns out that a list merely missed the resource.
 */
const SETTLING_PERIOD_MS = 3_600_000;
/** Limits the size of the record even if nodes are created and deleted every minute. */
const MAX_ENDED_INTERVALS = 500;

/** Reopens a closed record: none of its earlier intervals is resumed. Pure. */
export function reopenUsage({ endedTime: _ended, ...status }: UsageRecordStatus, nowMs: number, retentionMs: number) {
  return compactUsage(status, nowMs, retentionMs, 0);
}

/** Sums up older ended intervals, by hour and later by day, and drops those older than the retention. Pure. */
export function compactUsage(
  status: UsageRecordStatus,
  nowMs: number,
  retentionMs: number,
  settlingPeriodMs = SETTLING_PERIOD_MS,
): UsageRecordStatus {
  const intervals = status.intervals ?? [];
  const ended = intervals
    .filter(({ endTime }) => endTime !== undefined)
    .toSorted((a, b) => (b.endTime ?? '').localeCompare(a.endTime ?? ''));
  const settled = new Set(
    ended.filter(
      ({ endTime = '' }, index) => index >= MAX_ENDED_INTERVALS || Date.parse(endTime) <= nowMs - settlingPeriodMs,
    ),
  );
  const hoursFromMs = detailFromMs(nowMs);
  const sums = new Map<string, UsageTotal>();
  for (const total of status.totals ?? []) addTo(sums, toCoarseTotal(total, hoursFromMs));
  for (const interval of settled) for (const total of totalsOf(interval, hoursFromMs)) addTo(sums, total);
  const totals = [...sums.values()]
    .filter((total) => periodSpan(total).toMs > nowMs - retentionMs)
    .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  return {
    ...status,
    intervals: intervals.filter((each) => !settled.has(each)),
    ...(totals.length > 0 || status.totals !== undefined ? { totals } : {}),
  };
}

function toCoarseTotal(total: UsageTotal, hoursFromMs: number): UsageTotal {
  const { fromMs } = periodSpan(total);
  return fromMs < hoursFromMs ? { ...total, period: dayOf(fromMs) } : total;
}

/**
 * The amount that an ended interval contributes to each period; the uncertainty of its end is attributed to the last
 * period.
 */
function totalsOf(interval: UsageInterval, hoursFromMs: number): UsageTotal[] {
  const { resource, type, quantity = 1, uncertainSeconds = 0 } = interval;
  const span = spanOf(interval, 0);
  return [...partsOf(span, hoursFromMs)].map(({ fromMs, toMs, period }) => {
    const amount = (quantity * (toMs - fromMs)) / 1000;
    const isLast = toMs === span.toMs && uncertainSeconds > 0;
    return { period, resource, type, amount, ...(isLast && { uncertain: quantity * uncertainSeconds }) };
  });
}

function addTo(sums: Map<string, UsageTotal>, total: UsageTotal): void {
  const known = sums.get(keyOf(total));
  if (known === undefined) {
    sums.set(keyOf(total), total);
    return;
  }
  const uncertain = (known.uncertain ?? 0) + (total.uncertain ?? 0);
  sums.set(keyOf(total), { ...known, amount: known.amount + total.amount, ...(uncertain > 0 && { uncertain }) });
}

function keyOf({ period, resource, type }: UsageTotal): string {
  return `${period} ${resource} ${type}`;
}
