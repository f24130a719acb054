import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home, identifyProcess, lockHome } from './home.ts';
import { keptControlPlanes } from './kept-control-planes.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-kept-'));
  home = new Home(join(folder, 'home'));
  home.create();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Creates the file of simulated control planes, and one for each name. */
async function simulated(...names: readonly string[]): Promise<void> {
  const database = SqliteDatabase.open(home.clustersDatabase);
  for (const name of names) await database.store(name).close();
  await database.close();
}

test('a new home has none', () => {
  expect(keptControlPlanes(home)).toBeUndefined();
});

test.each(['simulated', 'process'])(
  'a home that has only been started with %s ones is not bound to them',
  async (kind) => {
    home.write(home.controlPlaneKind, `${kind}\n`);
    await simulated();
    mkdirSync(home.controlPlanes);

    expect(keptControlPlanes(home)).toBeUndefined();
  },
);

test('a simulated one binds it', async () => {
  home.write(home.controlPlaneKind, 'simulated\n');
  await simulated('a-cluster');

  expect(keptControlPlanes(home)).toBe('simulated');
});

test('so does one in a process of its own, and a process-based one', () => {
  mkdirSync(join(home.simulatedControlPlanes, 'a-cluster'), { recursive: true });
  home.write(home.controlPlaneKind, 'simulated\n');
  expect(keptControlPlanes(home)).toBe('simulated');

  rmSync(home.simulatedControlPlanes, { recursive: true });
  mkdirSync(join(home.controlPlanes, 'a-cluster'), { recursive: true });
  home.write(home.controlPlaneKind, 'process\n');
  expect(keptControlPlanes(home)).toBe('process');
});

test('a home of an older release has simulated ones', async () => {
  await simulated('a-cluster');

  expect(keptControlPlanes(home)).toBe('simulated');
});

test('a home in use stays bound, and so does one with a damaged file', async () => {
  home.write(home.controlPlaneKind, 'simulated\n');
  const self = identifyProcess(process.pid) ?? { pid: process.pid, started: '' };
  const release = lockHome(home, self, identifyProcess);
  expect(keptControlPlanes(home)).toBe('simulated');
  release();
  expect(keptControlPlanes(home)).toBeUndefined();

  writeFileSync(home.clustersDatabase, 'no database');
  expect(keptControlPlanes(home)).toBe('simulated');
});
