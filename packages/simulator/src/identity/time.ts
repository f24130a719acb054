/** A time in Keystone's format: with microseconds and a `Z`. */
export function formatKeystoneTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;
}

export function formatOptionalTime(epochMs: number | null): string | null {
  return epochMs === null ? null : formatKeystoneTime(epochMs);
}

/** Epoch milliseconds of an ISO 8601 time; UTC if the time has no time zone. Undefined if invalid. */
export function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return undefined;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text) && text.length > 10;
  const epochMs = Date.parse(hasZone || text.length === 10 ? text : `${text}Z`);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
