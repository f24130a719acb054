/** The earliest of these times in the future; undefined if there is none. */
export function earliestFutureTime(times: readonly (number | undefined)[], nowMs: number): number | undefined {
  const later = times.filter((time) => time !== undefined && Number.isFinite(time) && time > nowMs) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}
