/** A time for people, in the zone of their machine: `2026-11-28 23:54 CET`. `-o json` and `-o yaml` keep UTC. A text that is no time stays as it is. */
export function localTime(time: string | number, timeZone?: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  // Swedish is written as ISO 8601 is.
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
