import { randomUUID } from 'node:crypto';
import { formatTime } from '@fairway/base/clock';
import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import { usageError } from '../command-error.ts';
import { FAIRWAY_VERSION } from '../version.ts';
import type { Archive } from './archive.ts';
import { encodeBackup, openBackup, type ParsedBackup, parseBackup } from './backup-file.ts';
import { type Encryption, newEncryption } from './cipher.ts';

const FOLDER = 'backups/';
/** `off-host:latest`, `off-host:fairway-20261122T120000Z.backup`. */
const REFERENCE_PATTERN = /^off-host:(latest|[A-Za-z0-9._-]{1,200})$/;
const NAME = /^fairway-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.backup$/;

/** The backup in the object store that an argument refers to; undefined if it refers to a file. */
export function offHostName(argument: string): string | undefined {
  return REFERENCE_PATTERN.exec(argument)?.[1];
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

/** A stored backup, or the newest one. Throws a CommandError that lists the existing backups. */
export async function fetchBackup(offHost: OffHost, requestedName: string): Promise<{ name: string; bytes: Buffer }> {
  const names = (await storedBackups(offHost)).map(({ name }) => name);
  const name = requestedName === 'latest' ? names.at(-1) : names.find((stored) => stored === requestedName);
  if (name === undefined) {
    const availableBackups = names.length === 0 ? 'there are none' : `there are ${names.slice(-10).join(', ')}`;
    throw usageError(`backup ${requestedName} does not exist in ${offHost.store.description}: ${availableBackups}`);
  }
  return { name, bytes: await offHost.store.get(FOLDER + name) };
}

/** A backup that was read completely. */
export interface VerifiedBackup extends StoredBackup {
  readonly backup: ParsedBackup;
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

/** Stores a backup and reads it back. If the store does not return the same bytes, deletes the backup and rejects. */
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

/**
 * Deletes all but the newest `keep` backups. Never deletes `verified`, which counts as one of them. Resolves with the
 * deleted names.
 */
export async function pruneBackups(offHost: OffHost, keep: number, verified: StoredBackup): Promise<readonly string[]> {
  const otherBackups = (await storedBackups(offHost)).map(({ name }) => name).filter((name) => name !== verified.name);
  const expiredNames = otherBackups.slice(0, Math.max(otherBackups.length - keep + 1, 0));
  for (const name of expiredNames) await offHost.store.remove(FOLDER + name);
  return expiredNames;
}
