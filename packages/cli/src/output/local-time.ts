/**
 * A time in human-readable form, in the local time zone: `2026-11-28 23:54 CET`. `-o json` and `-o yaml` keep UTC.
 * Text that is not a time is returned unchanged.
 */
export function localTime(time: string | number, timeZone?: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  // The Swedish locale uses the ISO 8601 format.
  return new Intl.DateTimeFormat('sv-SE', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
}
