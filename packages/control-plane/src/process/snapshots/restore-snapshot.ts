import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RestoreProblem, RestoreRequest } from '../../runtime.ts';
import type { ClusterRecord } from '../cluster-record.ts';
import type { EtcdStatus } from '../probes.ts';
import { dataFolderName } from './data-folders.ts';
import { findRestoreTool, type RunProgram, restoreArguments, revisionBump, revisionOf } from './restore-tool.ts';
import { DamagedSnapshotError, type SnapshotFolder } from './snapshot-folder.ts';

/** Dependencies of a restore; the file system is real. */
export interface RestoreInputs {
  readonly request: RestoreRequest;
  /** The cluster's folder. */
  readonly folder: string;
  readonly record: ClusterRecord;
  readonly snapshots: SnapshotFolder;
  readonly etcd: string;
  /** Where to look for tools, after the folder of etcd. */
  readonly toolFolders: readonly string[];
  readonly run: RunProgram;
  /** etcd's current status; undefined while it does not serve. */
  readonly status: () => Promise<EtcdStatus | undefined>;
  /** Takes a snapshot named with this reason. */
  readonly save: (reason: string) => Promise<unknown>;
  readonly sync: (folder: string) => Promise<void>;
  readonly remove: (folder: string) => Promise<void>;
}

/** Why a request can't be carried out, and whether the tenant or the operator must act. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly problem: RestoreProblem;

  constructor(problem: RestoreProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Creates data from a snapshot beside the data in use, which it never modifies: a crash leaves a folder that no record
 * names, and the next attempt recreates it. Answers with the record that makes etcd use the new data. Throws RestoreError.
 */
export async function makeDataFrom(
  inputs: RestoreInputs,
): Promise<Pick<ClusterRecord, 'dataGeneration' | 'startRevision'>> {
  const { request, folder, record, snapshots, run, sync, remove } = inputs;
  const file = snapshots.fileOf(request.snapshot);
  if (!existsSync(file)) {
    const names = snapshots.list().map(({ name }) => name);
    const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    throw new RestoreError('NotFound', `there is no snapshot ${request.snapshot} of the cluster; ${there}`);
  }
  try {
    await snapshots.verify(request.snapshot);
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
    const isUsers = error instanceof DamagedSnapshotError;
    throw new RestoreError(isUsers ? 'NotFound' : 'Failed', error instanceof Error ? error.message : String(error));
  }
}

/** Takes a snapshot of the current data before they are replaced; a retry after a crash must not take another. */
async function saveOnce({ request, snapshots, save }: RestoreInputs): Promise<void> {
  const asked = createHash('sha256').update(`${request.snapshot} ${request.requestedAt}`).digest('hex').slice(0, 8);
  const reason = `before-restore-${asked}`;
  if (snapshots.list().some(({ name }) => name.endsWith(`-${reason}`))) return;
  try {
    await save(reason);
  } catch (error) {
    throw new Error(`the current data could not be saved first: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
