import { existsSync } from 'node:fs';
import { FencedError } from '@fairway/base/fence';
import { ObjectStoreError } from '../../off-host/object-store.ts';
import { RestoreError } from './restore-error.ts';
import { DamagedSnapshotError, type SnapshotFolder } from './snapshot-folder.ts';

/** Copies of one cluster's snapshots outside this machine. */
export interface SnapshotCopies {
  /** Name of the store in messages. */
  readonly description: string;
  list(): Promise<readonly { readonly name: string }[]>;
  /** The database as a stream, which throws if any part is missing or damaged. */
  open(name: string): Promise<AsyncIterable<Buffer>>;
}

export interface SnapshotSources {
  readonly snapshots: SnapshotFolder;
  /** Undefined if the snapshot has no copy. */
  readonly copies: SnapshotCopies | undefined;
  /** Whether this process may continue. */
  readonly mayAct: () => boolean;
}

/**
 * Ensures that the directory contains an intact snapshot: fetches the copy if the snapshot is missing or damaged. A
 * crash leaves a draft, which `SnapshotFolder` deletes. Throws a RestoreError.
 */
export async function obtainSnapshot(name: string, { snapshots, copies, mayAct }: SnapshotSources): Promise<void> {
  const isLocal = existsSync(snapshots.fileOf(name));
  const damage = isLocal ? await damageOf(name, snapshots) : undefined;
  if (isLocal && damage === undefined) return;
  const stored = copies === undefined ? [] : (await listed(copies)).map((copy) => copy.name);
  if (copies === undefined || !stored.includes(name)) {
    throw new RestoreError('NotFound', damage ?? missing(name, snapshots, stored));
  }
  try {
    await snapshots.save(name, chunksOf(copies, name, mayAct));
  } catch (error) {
    // Retrying helps with an unreachable store or a full disk, but would only fetch the same damaged copy again.
    const problem = error instanceof DamagedSnapshotError ? 'NotFound' : 'Failed';
    throw new RestoreError(problem, `its copy in ${copies.description} could not be fetched: ${messageOf(error)}`);
  }
}

async function damageOf(name: string, snapshots: SnapshotFolder): Promise<string | undefined> {
  try {
    await snapshots.verify(name);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedSnapshotError) return error.message;
    throw new RestoreError('Failed', messageOf(error));
  }
}

async function listed(copies: SnapshotCopies): Promise<readonly { readonly name: string }[]> {
  try {
    return await copies.list();
  } catch (error) {
    throw new RestoreError('Failed', `it is not stored locally, and copies could not be listed: ${messageOf(error)}`);
  }
}

function missing(name: string, snapshots: SnapshotFolder, stored: readonly string[]): string {
  const names = [...new Set([...snapshots.list().map((snapshot) => snapshot.name), ...stored])];
  const availableText = names.length === 0 ? 'there are none' : `available: ${names.sort().reverse().join(', ')}`;
  return `snapshot ${name} of the cluster does not exist; ${availableText}`;
}

/** Throws a DamagedSnapshotError if the copy itself is invalid. */
async function* chunksOf(copies: SnapshotCopies, name: string, mayAct: () => boolean): AsyncIterable<Buffer> {
  try {
    for await (const chunk of await copies.open(name)) {
      if (!mayAct()) throw new FencedError(name, 'fetching its copy');
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ObjectStoreError || error instanceof FencedError) throw error;
    throw new DamagedSnapshotError(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
