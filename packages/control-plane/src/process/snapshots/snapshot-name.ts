/** `20261121-163000-123`: when it was taken, in UTC; a word may follow that says why. */
const NAME = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-(\d{3})(?:-[a-z0-9]+)*$/;

/** The name of a snapshot that is taken now; names sort as times do. */
export function snapshotName(takenAtMs: number, reason?: string): string {
  const digits = new Date(takenAtMs)
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .replace('T', '-');
  const name = `${digits.slice(0, 15)}-${digits.slice(15)}`;
  return reason === undefined ? name : `${name}-${reason}`;
}

/** When a snapshot of this name was taken; undefined for what is no such name. */
export function takenAtMsOf(name: string): number | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, millisecond] = match;
  const takenAtMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`);
  return Number.isNaN(takenAtMs) ? undefined : takenAtMs;
}
