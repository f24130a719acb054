import { randomUUID } from 'node:crypto';
import { formatTime } from '@fairway/base/clock';
import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import { usageError } from '../command-error.ts';
import { FAIRWAY_VERSION } from '../version.ts';
import type { Archive } from './archive.ts';
import { encodeBackup, openBackup, parseBackup, type ReadBackup } from './backup-file.ts';
import { type Encryption, newEncryption } from './cipher.ts';

const FOLDER = 'backups/';
/** `off-host:latest`, `off-host:fairway-20261122T120000Z.backup`. */
const REFERENCE = /^off-host:(latest|[A-Za-z0-9._-]{1,200})$/;
const NAME = /^fairway-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.backup$/;

/** The name of a backup in the object store to which an argument refers; undefined if it refers to a file. */
export function offHostName(argument: string): string | undefined {
  return REFERENCE.exec(argument)?.[1];
}

/** `fairway-20261122T120000Z.backup`: names sort by time. */
export function backupName(createdAtMs: number): string {
  return `fairway-${formatTime(createdAtMs).replaceAll(/[-:]/g, '')}.backup`;
}

export interface StoredBackup {
  readonly name: string;
  readonly createdAtMs: number;
}

/** Oldest first. */
export async function storedBackups({ store }: OffHost): Promise<readonly StoredBackup[]> {
  const objects = await store.list(FOLDER);
  return objects.flatMap(({ key }) => {
    const name = key.slice(FOLDER.length);
    const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
    const createdAtMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return Number.isNaN(createdAtMs) ? [] : [{ name, createdAtMs }];
  });
}

/** A stored backup, or the newest. Throws a CommandError that lists the existing ones. */
export async function fetchBackup(offHost: OffHost, wanted: string): Promise<{ name: string; bytes: Buffer }> {
  const names = (await storedBackups(offHost)).map(({ name }) => name);
  const name = wanted === 'latest' ? names.at(-1) : names.find((stored) => stored === wanted);
  if (name === undefined) {
    const there = names.length === 0 ? 'there are none' : `there are ${names.slice(-10).join(', ')}`;
    throw usageError(`backup ${wanted} does not exist in ${offHost.store.description}: ${there}`);
  }
  return { name, bytes: await offHost.store.get(FOLDER + name) };
}

/** A backup that was completely read. */
export interface VerifiedBackup extends StoredBackup {
  readonly backup: ReadBackup;
  readonly archive: Archive;
}

/** Reads a stored backup completely. Rejects if it is missing, damaged, or encrypted with another passphrase. */
export async function verifyBackup(
  { store }: OffHost,
  stored: StoredBackup,
  passphrase: string,
): Promise<VerifiedBackup> {
  const backup = parseBackup(stored.name, await store.get(FOLDER + stored.name));
  return { ...stored, backup, archive: await openBackup(stored.name, backup, passphrase) };
}

/** Stores a backup and reads it back. Rejects, and deletes it again, if the store does not return what it was sent. */
export async function storeBackup(
  offHost: OffHost,
  archive: Archive,
  {
    createdAtMs,
    passphrase,
    encryption = newEncryption,
  }: {
    readonly createdAtMs: number;
    readonly passphrase: string;
    readonly encryption?: (() => Encryption) | undefined;
  },
): Promise<VerifiedBackup> {
  const origin = { id: randomUUID(), createdAt: formatTime(createdAtMs), fairway: FAIRWAY_VERSION };
  const stored = { name: backupName(createdAtMs), createdAtMs: Math.floor(createdAtMs / 1000) * 1000 };
  await offHost.store.put(FOLDER + stored.name, await encodeBackup(archive, origin, passphrase, encryption()));
  try {
    return await verifyBackup(offHost, stored, passphrase);
  } catch (error) {
    await offHost.store.remove(FOLDER + stored.name).catch(() => undefined);
    throw error;
  }
}

/** Deletes all but the newest `keep`; never `verified`, which is counted as one of them. Resolves with the deleted names. */
export async function pruneBackups(offHost: OffHost, keep: number, verified: StoredBackup): Promise<readonly string[]> {
  const others = (await storedBackups(offHost)).map(({ name }) => name).filter((name) => name !== verified.name);
  const doomed = others.slice(0, Math.max(others.length - keep + 1, 0));
  for (const name of doomed) await offHost.store.remove(FOLDER + name);
  return doomed;
}
