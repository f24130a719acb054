import { KEEP_ANNOTATION } from '../group.ts';
import type { Machine } from '../kinds/machine.ts';
import { durationMs } from './duration.ts';

const HOUR_MS = 3_600_000;
/** Maximum time for which a server is kept. */
export const MAX_KEEP_HOURS = 72;
/** Maximum number of servers kept per pool at any time. */
export const MAX_KEPT_MACHINES = 2;

const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The parsed annotation of a machine: until when its server is kept if the machine is replaced at `replacedMs`. */
export type KeepRequest = { readonly untilMs: number } | { readonly problem: string };

/** Undefined without the annotation. */
export function keepRequest({ metadata }: Machine, replacedMs: number): KeepRequest | undefined {
  const value = metadata.annotations?.[KEEP_ANNOTATION];
  if (value === undefined) return undefined;
  const untilMs = keepUntilMs(value, replacedMs);
  const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value;
  if (untilMs === undefined) {
    return { problem: `"${shown}" is neither a duration such as 4h nor a time such as 2030-01-01T12:00:00Z` };
  }
  if (untilMs > replacedMs + MAX_KEEP_HOURS * HOUR_MS) {
    return { problem: `"${shown}" is longer than ${MAX_KEEP_HOURS} h from when the machine is replaced` };
  }
  return { untilMs };
}

function keepUntilMs(value: string, replacedMs: number): number | undefined {
  if (value.length > 64) return undefined;
  if (TIME_PATTERN.test(value)) {
    const untilMs = Date.parse(value);
    return Number.isNaN(untilMs) ? undefined : untilMs;
  }
  try {
    return replacedMs + durationMs(value);
  } catch {
    return undefined;
  }
}
