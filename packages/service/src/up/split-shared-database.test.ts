import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEncryptionKey, encryptBuckets } from '@fairway/apiserver/store/encryption';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import { TENANT_AUDIT_LOG } from '@fairway/control-plane/audit/tenant-audit-log';
import { readRecord } from '@fairway/control-plane/process/cluster-record';
import { diskFiles } from '@fairway/control-plane/process/files';
import { recordPort } from '@fairway/control-plane/simulated/port-record';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from './home.ts';
import { splitSharedDatabase } from './split-shared-database.ts';

const kept = encryptBuckets(['secrets'], [createEncryptionKey('home')]);
let home: Home;

beforeEach(async () => {
  home = new Home(mkdtempSync(join(tmpdir(), 'fairway-move-')));
  home.create();
  const database = SqliteDatabase.open(home.clustersDatabase, { codec: kept });
  await recordPort(database.store('one'), 1234);
  for (const name of ['a', 'b']) {
    const encode = (revision: number) => ({ text: `{"metadata":{"resourceVersion":"${revision}"},"data":"hidden"}` });
    await database.store('one').write({ bucket: 'secrets', key: name, expected: undefined, encode });
  }
  database.store('never-served');
  await database.close();
});
afterEach(() => rmSync(home.path, { recursive: true }));

function folderOf(uid: string): string {
  return join(home.simulatedControlPlanes, uid);
}

async function contentOf(uid: string): Promise<{ revision: number; secrets: readonly [string, number][] }> {
  const { encryptionKey = '' } = readRecord(diskFiles, folderOf(uid)) ?? {};
  const key = { id: 'cluster', key: Buffer.from(encryptionKey, 'base64') };
  const database = SqliteDatabase.open(join(folderOf(uid), 'cluster.db'), {
    codec: encryptBuckets(['secrets'], [key]),
  });
  const store = database.store(uid);
  const secrets = store.list('secrets').map(({ key: name, revision }): [string, number] => [name, revision]);
  const content = { revision: store.revision, secrets };
  await database.close();
  return content;
}

const MOVED_DATA = {
  revision: 3,
  secrets: [
    ['a', 2],
    ['b', 3],
  ],
};

test('moves a control plane with its revisions, its port and its encrypted Secrets', async () => {
  await splitSharedDatabase(home, () => kept);

  expect(await contentOf('one')).toEqual(MOVED_DATA);
  expect(readRecord(diskFiles, folderOf('one'))).toMatchObject({ port: 1234 });
  expect(existsSync(home.clustersDatabase)).toBe(false);
  expect(existsSync(folderOf('never-served'))).toBe(false);
});

describe('audit events', () => {
  const log = (uid: string) => join(home.clusterAudit, uid, 'tenant-audit.log');
  beforeEach(() => {
    for (const uid of ['one', 'never-served', 'gone']) {
      mkdirSync(join(home.clusterAudit, uid), { recursive: true });
      writeFileSync(log(uid), uid);
    }
  });

  test('move with their cluster, and none are left behind', async () => {
    await splitSharedDatabase(home, () => kept);

    expect(readFileSync(join(folderOf('one'), TENANT_AUDIT_LOG), 'utf8')).toBe('one');
    expect(existsSync(home.clusterAudit)).toBe(false);
    expect(readdirSync(home.simulatedControlPlanes)).toEqual(['one']);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])('move if an earlier move was killed %s moving them', async (_, existsAfterwards) => {
    const auditFiles = readFileSync(log('one'));
    const database = readFileSync(home.clustersDatabase);
    await splitSharedDatabase(home, () => kept);
    const moved = join(folderOf('one'), TENANT_AUDIT_LOG);
    writeFileSync(home.clustersDatabase, database);
    if (existsAfterwards) {
      rmSync(dirname(moved), { recursive: true });
      mkdirSync(dirname(log('one')), { recursive: true });
      writeFileSync(log('one'), auditFiles);
    }
    await splitSharedDatabase(home, () => kept);

    expect(readFileSync(moved, 'utf8')).toBe('one');
    expect(existsSync(home.clusterAudit)).toBe(false);
  });
});

test('restarts a move if it was killed while copying', async () => {
  const draft = join(folderOf('one'), 'cluster.db.draft');
  await diskFiles.makeFolder(folderOf('one'));
  await diskFiles.write(draft, 'half of it');

  await splitSharedDatabase(home, () => kept);

  expect(await contentOf('one')).toEqual(MOVED_DATA);
  expect(readdirSync(folderOf('one')).sort()).toEqual(['cluster.db', 'record.json']);
});

test('leaves a home without the file unchanged', async () => {
  await splitSharedDatabase(home, () => kept);
  const before = readFileSync(join(folderOf('one'), 'cluster.db'));

  await splitSharedDatabase(home, () => kept);

  expect(readFileSync(join(folderOf('one'), 'cluster.db')).equals(before)).toBe(true);
});
