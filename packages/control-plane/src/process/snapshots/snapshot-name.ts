/** `20261121-163000-123`: the time of the snapshot in UTC, optionally followed by the reason in one word. */
const SNAPSHOT_NAME_PATTERN = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-(\d{3})(?:-[a-z0-9]+)*$/;

/** The name of a snapshot taken now; names sort chronologically. */
export function snapshotName(takenAtMs: number, reason?: string): string {
  const digits = new Date(takenAtMs)
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .replace('T', '-');
  const name = `${digits.slice(0, 15)}-${digits.slice(15)}`;
  return reason === undefined ? name : `${name}-${reason}`;
}

/** The time in a snapshot's name; undefined if it is not a snapshot name. */
export function takenAtMsOf(name: string): number | undefined {
  const match = SNAPSHOT_NAME_PATTERN.exec(name);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, millisecond] = match;
  const takenAtMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`);
  return Number.isNaN(takenAtMs) ? undefined : takenAtMs;
}
