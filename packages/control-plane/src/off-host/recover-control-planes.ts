import { join } from 'node:path';
import { type ClusterRecord, readRecord, writeRecord } from '../process/cluster-record.ts';
import { diskFiles, syncTree } from '../process/files.ts';
import type { Binaries } from '../process/find-binaries.ts';
import { removeData } from '../process/snapshots/data-folders.ts';
import { restoreData } from '../process/snapshots/restore-snapshot.ts';
import type { RunCommand } from '../process/snapshots/restore-tool.ts';
import { SnapshotFolder } from '../process/snapshots/snapshot-folder.ts';
import type { ArchivedSnapshot, SnapshotArchive } from './snapshot-archive.ts';

export interface RecoveryInputs {
  readonly archive: SnapshotArchive;
  /** The directory that contains a subdirectory for each cluster. */
  readonly folder: string;
  /** The directory that contains a subdirectory of snapshots for each cluster. */
  readonly snapshotFolder: string;
  readonly binaries: readonly Binaries[];
  readonly toolFolders: readonly string[];
  readonly run: RunCommand;
}

export interface RecoveredCluster extends ArchivedSnapshot {
  /** `kept`: the data already existed here and were not touched. */
  readonly outcome: 'recovered' | 'kept';
}

/**
 * Restores the data of all clusters in an archive to an empty machine, each from its newest snapshot. Fairway must
 * not be using the directory. A cluster's record is written last: until then the cluster does not exist, and an
 * interrupted recovery recreates it.
 */
export async function* recoverControlPlanes(inputs: RecoveryInputs): AsyncIterable<RecoveredCluster> {
  const newest = new Map<string, ArchivedSnapshot>();
  for (const snapshot of await inputs.archive.list()) {
    if (!newest.has(snapshot.clusterUid)) newest.set(snapshot.clusterUid, snapshot);
  }
  for (const snapshot of newest.values()) {
    const exists = readRecord(diskFiles, join(inputs.folder, snapshot.clusterUid)) !== undefined;
    if (!exists) await recover(inputs, snapshot);
    yield { ...snapshot, outcome: exists ? 'kept' : 'recovered' };
  }
}

async function recover(inputs: RecoveryInputs, { clusterUid, name }: ArchivedSnapshot): Promise<void> {
  const { archive, binaries, toolFolders, run } = inputs;
  const { record: text, chunks } = await archive.open(clusterUid, name);
  // User IDs are specific to a machine: the cluster is assigned an ID that is free on this machine.
  const { userId: _, ...record } = JSON.parse(text) as ClusterRecord;
  const snapshots = new SnapshotFolder(join(inputs.snapshotFolder, clusterUid));
  await snapshots.save(name, chunks);
  const folder = join(inputs.folder, clusterUid);
  await diskFiles.makeFolder(folder);
  const etcd = etcdFor(record, binaries);
  const restoredData = await restoreData({
    request: { snapshot: name },
    folder,
    record,
    snapshots,
    copies: undefined,
    mayAct: () => true,
    etcd,
    toolFolders,
    run,
    status: () => Promise.resolve(undefined),
    save: () => Promise.resolve(),
    sync: syncTree,
    remove: removeData,
  });
  await writeRecord(diskFiles, folder, { ...record, ...restoredData });
}

/** The etcd binary for the release that the cluster ran, or otherwise the newest available one. */
function etcdFor({ version }: ClusterRecord, binaries: readonly Binaries[]): string {
  const minor = version?.split('.').slice(0, 2).join('.');
  const chosen = binaries.find((found) => minor !== undefined && found.version.startsWith(`${minor}.`)) ?? binaries[0];
  if (chosen === undefined) {
    throw new Error(`no Kubernetes binaries found: run "fairway releases fetch ${version ?? 'VERSION'}" first`);
  }
  return chosen.paths.etcd;
}
