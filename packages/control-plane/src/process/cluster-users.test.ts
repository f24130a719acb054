import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClusterUsers } from './cluster-users.ts';

const FIVE_USERS = { first: 1_900_000_000, last: 1_900_000_004 };

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fairway-users-'));
  folder = join(parent, 'users');
});
afterEach(() => rm(parent, { recursive: true }));

/** Opens the user allocations as a new process would: the directory is the only state. */
const open = (range = FIVE_USERS) => new ClusterUsers(folder, range, () => 0.5);

test('keeps one user for each cluster', async () => {
  const first = await open().userOf('a');
  const second = await open().userOf('b');

  expect(first).toEqual({ uid: 1_900_000_002, gid: 1_900_000_002 });
  expect(second.uid).not.toBe(first.uid);
  expect(await open().userOf('a')).toEqual(first);
});

test('gives each of several concurrent processes its own user', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];

  const users = await Promise.all(names.map((name) => open().userOf(name)));

  expect(new Set(users.map(({ uid }) => uid)).size).toBe(names.length);
  await expect(open().userOf('f')).rejects.toThrow('all user IDs from 1900000000 to 1900000004');
});

test('reuses a released user, which only its holder can release', async () => {
  const one = { first: 7, last: 7 };
  const user = await open(one).userOf('a');

  await open(one).free('b', user);
  await expect(open(one).userOf('b')).rejects.toThrow('--control-plane-users');
  await open(one).free('a', user);

  expect(await open(one).userOf('b')).toEqual(user);
});

test('makes the allocations readable only by their owner', async () => {
  await open().userOf('a');

  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(['1900000002']);
});
