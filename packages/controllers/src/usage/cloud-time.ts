/** A time as an OpenStack service writes it, in UTC, mostly without saying so; undefined where it is none. */
export function cloudTimeMs(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
