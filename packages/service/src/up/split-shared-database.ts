import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bucketOf } from '@fairway/apiserver/server/served-resource';
import { encryptBuckets, type ValueCodec } from '@fairway/apiserver/store/encryption';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import type { Store } from '@fairway/apiserver/store/store';
import { TENANT_AUDIT_FOLDER } from '@fairway/control-plane/audit/tenant-audit-log';
import { newEncryptionKey, readRecord, writeRecord } from '@fairway/control-plane/process/cluster-record';
import { diskFiles } from '@fairway/control-plane/process/files';
import { recordedPort } from '@fairway/control-plane/simulated/port-record';
import { Secrets } from '@fairway/kube/kinds/resources';
import { CLUSTER_DATABASE } from '../simulated-control-plane/database-file.ts';
import type { Home } from './home.ts';

/**
 * Moves the control planes that `fairway up` keeps in one file, and their audit events, to one directory each, where
 * `fairway serve` expects them. May be killed at any point: a directory with its database is complete, and neither copy
 * is used while both exist.
 */
export async function splitSharedDatabase(home: Home, codec: () => ValueCodec): Promise<void> {
  if (!existsSync(home.clustersDatabase)) return;
  const database = SqliteDatabase.open(home.clustersDatabase, { codec: codec() });
  try {
    for (const uid of database.keyspaces) {
      const folder = join(home.simulatedControlPlanes, uid);
      if (!existsSync(join(folder, CLUSTER_DATABASE))) await copyKeyspace(folder, uid, database.store(uid));
      moveAuditEvents(join(home.clusterAudit, uid), folder);
      await database.dropKeyspace(uid);
    }
  } finally {
    await database.close();
  }
  // Without this, events of clusters that have never served would remain forever.
  rmSync(home.clusterAudit, { recursive: true, force: true });
  for (const suffix of ['-wal', '-shm', '']) rmSync(home.clustersDatabase + suffix, { force: true });
}

function moveAuditEvents(from: string, folder: string): void {
  if (existsSync(from) && existsSync(folder)) renameSync(from, join(folder, TENANT_AUDIT_FOLDER));
}

async function copyKeyspace(folder: string, uid: string, store: Store): Promise<void> {
  const port = recordedPort(store);
  // The API server has never served, so it starts over.
  if (port === undefined) return;
  await diskFiles.makeFolder(folder);
  const record = readRecord(diskFiles, folder) ?? { port, encryptionKey: newEncryptionKey() };
  await writeRecord(diskFiles, folder, record);
  const draft = join(folder, `${CLUSTER_DATABASE}.draft`);
  for (const suffix of ['-wal', '-shm', '']) rmSync(draft + suffix, { force: true });
  const key = { id: 'cluster', key: Buffer.from(record.encryptionKey, 'base64') };
  const copy = SqliteDatabase.open(draft, { codec: encryptBuckets([bucketOf(Secrets)], [key]) });
  try {
    copy.copyKeyspace(uid, store);
  } finally {
    await copy.close();
  }
  renameSync(draft, join(folder, CLUSTER_DATABASE));
}
