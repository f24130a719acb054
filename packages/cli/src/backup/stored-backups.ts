import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import { usageError } from '@fairway/service/command-error';

const FOLDER = 'backups/';
/** `off-host:latest`, `off-host:fairway-20261122T120000Z.backup`. */
const REFERENCE = /^off-host:(latest|[A-Za-z0-9._-]{1,200})$/;

/** The name of a backup in the object store that an argument means; undefined if it means a file. */
export function offHostName(argument: string): string | undefined {
  return REFERENCE.exec(argument)?.[1];
}

export async function storeBackup({ store }: OffHost, name: string, bytes: Buffer): Promise<void> {
  await store.put(FOLDER + name, bytes);
}

/** Oldest first: names begin with the time. */
export async function storedBackups({ store }: OffHost): Promise<readonly { name: string; sizeBytes: number }[]> {
  const objects = await store.list(FOLDER);
  return objects.map(({ key, sizeBytes }) => ({ name: key.slice(FOLDER.length), sizeBytes }));
}

/** A stored backup, or the newest. Throws a CommandError that names those that there are. */
export async function fetchBackup(offHost: OffHost, wanted: string): Promise<{ name: string; bytes: Buffer }> {
  const names = (await storedBackups(offHost)).map(({ name }) => name);
  const name = wanted === 'latest' ? names.at(-1) : names.find((stored) => stored === wanted);
  if (name === undefined) {
    const there = names.length === 0 ? 'there are none' : `there are ${names.slice(-10).join(', ')}`;
    throw usageError(`there is no backup ${wanted} in ${offHost.store.description}: ${there}`);
  }
  return { name, bytes: await offHost.store.get(FOLDER + name) };
}

/** Deletes all but the newest. */
export async function pruneBackups(offHost: OffHost, keep: number): Promise<readonly string[]> {
  const names = (await storedBackups(offHost)).map(({ name }) => name);
  const doomed = names.slice(0, Math.max(names.length - keep, 0));
  for (const name of doomed) await offHost.store.remove(FOLDER + name);
  return doomed;
}
