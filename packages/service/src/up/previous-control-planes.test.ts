import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home, identifyProcess, lockHome } from './home.ts';
import { previousControlPlanes } from './previous-control-planes.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-kept-'));
  home = new Home(join(folder, 'home'));
  home.create();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Creates the file of simulated control planes, and one control plane for each name. */
async function simulated(...names: readonly string[]): Promise<void> {
  const database = SqliteDatabase.open(home.clustersDatabase);
  for (const name of names) await database.store(name).close();
  await database.close();
}

test('returns undefined for a new home', () => {
  expect(previousControlPlanes(home)).toBeUndefined();
});

test.each(['simulated', 'process'])(
  'returns undefined for a home that was started with %s control planes but has none yet',
  async (kind) => {
    home.write(home.controlPlaneKind, `${kind}\n`);
    await simulated();
    mkdirSync(home.controlPlanes);

    expect(previousControlPlanes(home)).toBeUndefined();
  },
);

test('returns simulated for a home with a simulated control plane', async () => {
  home.write(home.controlPlaneKind, 'simulated\n');
  await simulated('a-cluster');

  expect(previousControlPlanes(home)).toBe('simulated');
});

test('recognizes a simulated control plane in its own process, and a process-based one', () => {
  mkdirSync(join(home.simulatedControlPlanes, 'a-cluster'), { recursive: true });
  home.write(home.controlPlaneKind, 'simulated\n');
  expect(previousControlPlanes(home)).toBe('simulated');

  rmSync(home.simulatedControlPlanes, { recursive: true });
  mkdirSync(join(home.controlPlanes, 'a-cluster'), { recursive: true });
  home.write(home.controlPlaneKind, 'process\n');
  expect(previousControlPlanes(home)).toBe('process');
});

test('returns simulated for a home from an older release', async () => {
  await simulated('a-cluster');

  expect(previousControlPlanes(home)).toBe('simulated');
});

test('keeps the kind of a home that is in use, and of a home with a damaged file', async () => {
  home.write(home.controlPlaneKind, 'simulated\n');
  const self = identifyProcess(process.pid) ?? { pid: process.pid, started: '' };
  const release = lockHome(home, self, identifyProcess);
  expect(previousControlPlanes(home)).toBe('simulated');
  release();
  expect(previousControlPlanes(home)).toBeUndefined();

  writeFileSync(home.clustersDatabase, 'no database');
  expect(previousControlPlanes(home)).toBe('simulated');
});
