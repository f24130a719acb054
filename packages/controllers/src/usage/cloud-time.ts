/** Parses a time of an OpenStack service, in UTC, usually without a time zone; undefined if it is not a time. */
export function cloudTimeMs(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
