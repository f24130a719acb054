import { link, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantFolderAccess } from './cluster-folder.ts';

const USER = { uid: 1_900_000_000, gid: 1_900_000_000 };

let folder: string;
const at = (path: string) => join(folder, path);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-cluster-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Formatted as `owner:group mode`, like ls. */
async function accessOf(path: string): Promise<string> {
  const { uid, gid, mode } = await lstat(at(path));
  const name = (id: number) => (id === USER.uid ? 'cluster' : id === process.getuid?.() ? 'fairway' : String(id));
  return `${name(uid)}:${name(gid)} ${(mode & 0o7777).toString(8)}`;
}

test('makes everything accessible only to this process’s user if no user is set', async () => {
  await grantFolderAccess(undefined, folder, 0);

  for (const name of ['.', 'config', 'pki', 'run', 'logs']) expect((await stat(at(name))).mode & 0o777).toBe(0o700);
});

describe.skipIf(process.getuid?.() !== 0)('with a user (skipped without root)', () => {
  test('lets programs read their configuration and create files next to it, but not replace anything', async () => {
    await mkdir(at('pki'));
    await writeFile(at('pki/sa.key'), 'key', { mode: 0o600 });
    await writeFile(at('record.json'), '{}', { mode: 0o600 });

    await grantFolderAccess(USER, folder, 0);

    expect(await accessOf('.')).toBe('fairway:cluster 1770');
    expect(await accessOf('logs')).toBe('fairway:cluster 1770');
    for (const name of ['config', 'pki', 'bin']) expect(await accessOf(name)).toBe('fairway:cluster 750');
    expect(await accessOf('pki/sa.key')).toBe('fairway:cluster 640');
    expect(await accessOf('run')).toBe('fairway:fairway 700');
    expect(await accessOf('record.json')).toBe('fairway:fairway 600');
  });

  test('changes the owner of data that root created, in the current generation', async () => {
    await mkdir(at('etcd-1/member/wal'), { recursive: true, mode: 0o700 });
    await writeFile(at('etcd-1/member/wal/0.wal'), '', { mode: 0o600 });
    await writeFile(at('outside'), '', { mode: 0o600 });
    await symlink(at('outside'), at('etcd-1/link'));

    await grantFolderAccess(USER, folder, 1);

    for (const path of ['etcd-1', 'etcd-1/member/wal']) expect(await accessOf(path)).toBe('cluster:cluster 700');
    expect(await accessOf('etcd-1/member/wal/0.wal')).toBe('cluster:cluster 600');
    expect(await accessOf('outside')).toBe('fairway:fairway 600');
  });

  test('changes the owner of an audit log, but not of a hard link to a file owned by root', async () => {
    await mkdir(at('logs'));
    await writeFile(at('logs/audit.log'), '', { mode: 0o600 });
    await writeFile(at('logs/tenant-audit.log'), '', { mode: 0o600 });
    await writeFile(at('record.json'), '{}', { mode: 0o600 });
    await link(at('record.json'), at('logs/audit-2.log'));

    await grantFolderAccess(USER, folder, 0);

    expect(await accessOf('logs/audit.log')).toBe('cluster:cluster 600');
    expect(await accessOf('logs/tenant-audit.log')).toBe('cluster:cluster 600');
    expect(await accessOf('record.json')).toBe('fairway:fairway 600');
  });
});
