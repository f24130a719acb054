import type { UsageInterval, UsageTotal } from '../../kinds/usage-record.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A time span, from `fromMs` (inclusive) to `toMs` (exclusive). */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time span of an interval; an open interval ends at `nowMs`. */
export function spanOf({ startTime, endTime }: Pick<UsageInterval, 'startTime' | 'endTime'>, nowMs: number): Span {
  const fromMs = Date.parse(startTime);
  return { fromMs, toMs: endTime === undefined ? Math.max(fromMs, nowMs) : Date.parse(endTime) };
}

/** Number of seconds for which two spans overlap. */
export function overlapSeconds(left: Span, right: Span): number {
  return Math.max(0, Math.min(left.toMs, right.toMs) - Math.max(left.fromMs, right.fromMs)) / 1000;
}

/** The time span covered by a total. */
export function periodSpan({ period }: Pick<UsageTotal, 'period'>): Span {
  const isHour = period.length > '2026-11-26'.length;
  const fromMs = Date.parse(isHour ? `${period}:00:00Z` : `${period}T00:00:00Z`);
  return { fromMs, toMs: fromMs + (isHour ? HOUR_MS : DAY_MS) };
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function hourOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13);
}

/** Start of the UTC day that contains a time. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/**
 * A span split at UTC midnights, and from `hoursFromMs` on at full UTC hours, with the period that each part belongs
 * to.
 */
export function* partsOf({ fromMs, toMs }: Span, hoursFromMs: number): Generator<Span & { readonly period: string }> {
  for (let atMs = fromMs; atMs < toMs; ) {
    const isByHour = atMs >= hoursFromMs;
    const stepMs = isByHour ? HOUR_MS : DAY_MS;
    const nextMs = Math.min(toMs, (Math.floor(atMs / stepMs) + 1) * stepMs);
    yield { fromMs: atMs, toMs: nextMs, period: isByHour ? hourOf(atMs) : dayOf(atMs) };
    atMs = nextMs;
  }
}

export const DETAIL_DAYS = 8;

/** Ended intervals are summed up by hour from this time on, and by day before it. */
export function detailFromMs(nowMs: number): number {
  return startOfDay(nowMs) - DETAIL_DAYS * DAY_MS;
}
