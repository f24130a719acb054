import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClusterRecord } from '../cluster-record.ts';
import { snapshotStream } from '../testing/snapshot-bytes.ts';
import { removeData, removeOtherData } from './data-folders.ts';
import { type RestoreInputs, restoreData } from './restore-snapshot.ts';
import { restoreArguments, revisionBump } from './restore-tool.ts';
import { SnapshotFolder } from './snapshot-folder.ts';

const SNAPSHOT = '20261121-120000-000';
const RECORD: ClusterRecord = { port: 20_000, encryptionKey: 'k' };

let parent: string;
let snapshots: SnapshotFolder;
/** The executed commands, in order. */
let calls: string[];
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'restore-'));
  snapshots = new SnapshotFolder(join(parent, 'snapshots'));
  await snapshots.save(SNAPSHOT, snapshotStream('then'));
  mkdirSync(join(parent, 'cluster/etcd'), { recursive: true });
  writeFileSync(join(parent, 'cluster/etcd/db'), 'now');
  calls = [];
  putBinary('etcd');
  putBinary('etcdutl');
});
afterEach(() => rmSync(parent, { recursive: true }));

function putBinary(name: string): void {
  mkdirSync(join(parent, 'bin'), { recursive: true });
  writeFileSync(join(parent, 'bin', name), '');
  chmodSync(join(parent, 'bin', name), 0o755);
}

/** Fakes of the etcd 3.6 binaries. */
async function run(command: string, args: readonly string[]): Promise<string> {
  calls.push([command.slice(command.lastIndexOf('/') + 1), ...args.slice(0, 2)].join(' '));
  if (args[0] === '--version') return 'etcd Version: 3.6.16\n';
  if (args[0] === 'version') return 'etcdutl version: 3.6.16\nAPI version: 3.6\n';
  if (args.includes('--help')) return '--bump-revision uint --data-dir string';
  if (args[1] === 'status') return '{"hash":1,"revision":40,"totalKey":3,"totalSize":9}';
  const target = args.find((arg) => arg.startsWith('--data-dir='))?.slice('--data-dir='.length) ?? '';
  if (existsSync(target)) throw new Error(`data-dir ${target} not empty`);
  mkdirSync(target);
  writeFileSync(join(target, 'db'), args.join(' '));
  return '';
}

function inputs(change: Partial<RestoreInputs> = {}): RestoreInputs {
  return {
    request: { snapshot: SNAPSHOT },
    folder: join(parent, 'cluster'),
    record: RECORD,
    snapshots,
    copies: undefined,
    mayAct: () => true,
    etcd: join(parent, 'bin/etcd'),
    toolFolders: [],
    run,
    status: () => Promise.resolve({ databaseBytes: 1, revision: 100, isFull: false }),
    save: (reason) => snapshots.save(`20261121-130000-000-${reason}`, snapshotStream('now')),
    sync: () => Promise.resolve(),
    remove: removeData,
    ...change,
  };
}

const data = () => readdirSync(join(parent, 'cluster')).sort();

test('creates new data next to the old, with higher revisions, and takes a snapshot of the old data', async () => {
  const restoredData = await restoreData(inputs());

  expect(restoredData).toEqual({ dataGeneration: 1, startRevision: 1_000_000_100 });
  expect(data()).toEqual(['etcd', 'etcd-1']);
  expect(readFileSync(join(parent, 'cluster/etcd/db'), 'utf8')).toBe('now');
  expect(readFileSync(join(parent, 'cluster/etcd-1/db'), 'utf8')).toContain('--bump-revision=1000000060');
  expect(snapshots.list().map(({ name }) => name)[0]).toMatch(/-before-restore-[0-9a-f]{8}$/);
});

describe('gives the same result if killed at any step and restarted', () => {
  const STEPS = ['etcd --version', 'etcdutl version', 'etcdutl snapshot status', 'etcdutl snapshot restore', 'sync'];

  test.each(STEPS)('killed at: %s', async (step) => {
    const die = () => Promise.reject(new Error('killed'));
    const killed = inputs({
      run: async (command, args) => {
        const result = await run(command, args);
        return calls.at(-1) === step && !args.includes('--help') ? die() : result;
      },
      sync: () => (step === 'sync' ? die() : Promise.resolve()),
    });
    await expect(restoreData(killed)).rejects.toThrow('killed');
    expect(readFileSync(join(parent, 'cluster/etcd/db'), 'utf8')).toBe('now');

    expect(await restoreData(inputs())).toEqual({ dataGeneration: 1, startRevision: 1_000_000_100 });
    expect(data()).toEqual(['etcd', 'etcd-1']);
    expect(snapshots.list()).toHaveLength(2);
  });
});

describe('restore errors', () => {
  test.each<{ reason: string; prepare: () => Partial<RestoreInputs>; problem: string; message: string }>([
    {
      reason: 'a snapshot that does not exist',
      prepare: () => ({ request: { snapshot: '20200101-000000-000' } }),
      problem: 'NotFound',
      message: `snapshot 20200101-000000-000 of the cluster does not exist; available: ${SNAPSHOT}`,
    },
    {
      reason: 'a damaged snapshot',
      prepare: () => {
        writeFileSync(snapshots.fileOf(SNAPSHOT), 'T', { flag: 'r+' });
        return {};
      },
      problem: 'NotFound',
      message: 'its checksum does not match; select another snapshot',
    },
    {
      reason: 'a missing tool',
      prepare: () => {
        rmSync(join(parent, 'bin/etcdutl'));
        return {};
      },
      problem: 'Failed',
      message: 'restoring requires etcdutl 3.6',
    },
    {
      reason: 'a tool of another version',
      prepare: () => ({
        run: async (...call) => (await run(...call)).replace('etcdutl version: 3.6', 'etcdutl version: 3.5'),
      }),
      problem: 'Failed',
      message: 'found with other versions',
    },
    {
      reason: 'no space for a snapshot of the current data',
      prepare: () => ({ save: () => Promise.reject(new Error('no space left on device')) }),
      problem: 'Failed',
      message: 'the current data could not be backed up first: no space left on device',
    },
  ])('are reported for $reason', async ({ prepare, problem, message }) => {
    const attempt = restoreData(inputs(prepare()));

    await expect(attempt).rejects.toMatchObject({ problem, message: expect.stringContaining(message) });
    expect(data()).toEqual(['etcd']);
  });
});

test('restores without a snapshot of the current data if etcd is down, from the revision at which that data began', async () => {
  const record = { ...RECORD, dataGeneration: 1, startRevision: 1_000_000_100 };

  const restoredData = await restoreData(inputs({ record, status: () => Promise.resolve(undefined) }));

  expect(restoredData).toEqual({ dataGeneration: 2, startRevision: 2_000_000_100 });
  expect(snapshots.list()).toHaveLength(1);
});

test.each([
  { snapshot: 40, known: 100, after: 1_000_000_100, reason: 'beyond the known revision' },
  { snapshot: 2_000_000_000, known: 40, after: 3_000_000_000, reason: 'never backwards' },
])('continues revisions: $reason', ({ snapshot, known, after }) => {
  expect(snapshot + revisionBump(snapshot, known)).toBe(after);
});

test('does not bump revisions with a tool that cannot do so', () => {
  expect(restoreArguments('a.db', 'etcd-1', undefined).join(' ')).not.toMatch(/bump|compacted/);
});

test('deletes other data directories once etcd uses the new data', async () => {
  for (const name of ['etcd-1', 'etcd-2', 'etcd-notes', 'logs']) mkdirSync(join(parent, 'cluster', name));

  await removeOtherData(join(parent, 'cluster'), 2);

  expect(data()).toEqual(['etcd-2', 'etcd-notes', 'logs']);
});
