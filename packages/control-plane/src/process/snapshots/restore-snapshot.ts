import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RestoreRequest } from '@fairway/api/domain/restore-request';
import type { ClusterRecord } from '../cluster-record.ts';
import type { EtcdStatus } from '../probes.ts';
import { dataFolderName } from './data-folders.ts';
import { obtainSnapshot, type SnapshotSources } from './obtain-snapshot.ts';
import { RestoreError } from './restore-error.ts';
import { findRestoreTool, type RunCommand, restoreArguments, revisionBump, revisionOf } from './restore-tool.ts';

/** Dependencies of a restore; the file system is real. */
export interface RestoreInputs extends SnapshotSources {
  readonly request: RestoreRequest;
  /** The cluster's directory. */
  readonly folder: string;
  readonly record: ClusterRecord;
  readonly etcd: string;
  /** Where to search for tools, after etcd's own directory. */
  readonly toolFolders: readonly string[];
  readonly run: RunCommand;
  /** etcd's current status; undefined while etcd is not ready. */
  readonly status: () => Promise<EtcdStatus | undefined>;
  /** Takes a snapshot named with this reason. */
  readonly save: (reason: string) => Promise<unknown>;
  readonly sync: (folder: string) => Promise<void>;
  readonly remove: (folder: string) => Promise<void>;
}

/**
 * Creates data from a snapshot next to the current data, which it never modifies: a crash leaves a directory that no
 * record refers to, and the next attempt recreates it. Returns the record that makes etcd use the new data. Throws
 * RestoreError.
 */
export async function restoreData(
  inputs: RestoreInputs,
): Promise<Pick<ClusterRecord, 'dataGeneration' | 'startRevision'>> {
  const { request, folder, record, snapshots, run, sync, remove } = inputs;
  const file = snapshots.fileOf(request.snapshot);
  await obtainSnapshot(request.snapshot, inputs);
  try {
    const tool = await findRestoreTool(inputs.etcd, inputs.toolFolders, run);
    const before = await inputs.status();
    if (before !== undefined) await saveOnce(inputs);
    const dataGeneration = (record.dataGeneration ?? 0) + 1;
    const target = join(folder, dataFolderName(dataGeneration));
    await remove(target);
    const revision = await revisionOf(tool, file, run);
    const bump = tool.canBumpRevision
      ? revisionBump(revision, before?.revision ?? record.startRevision ?? 0)
      : undefined;
    await run(tool.path, restoreArguments(file, target, bump));
    await sync(target);
    return { dataGeneration, startRevision: revision + (bump ?? 0) };
  } catch (error) {
    throw new RestoreError('Failed', error instanceof Error ? error.message : String(error));
  }
}

/** Takes a snapshot of the current data before it is replaced; a retry after a crash must not take another. */
async function saveOnce({ request, snapshots, save }: RestoreInputs): Promise<void> {
  const requestHash = createHash('sha256')
    .update(`${request.snapshot} ${request.requestedAt}`)
    .digest('hex')
    .slice(0, 8);
  const reason = `before-restore-${requestHash}`;
  if (snapshots.list().some(({ name }) => name.endsWith(`-${reason}`))) return;
  try {
    await save(reason);
  } catch (error) {
    throw new Error(`the current data could not be backed up first: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
