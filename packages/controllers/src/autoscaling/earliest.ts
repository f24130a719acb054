/** The first of these times that is still to come; undefined if none is. */
export function earliest(times: readonly (number | undefined)[], nowMs: number): number | undefined {
  const later = times.filter((time) => time !== undefined && Number.isFinite(time) && time > nowMs) as number[];
  return later.length === 0 ? undefined : Math.min(...later);
}
