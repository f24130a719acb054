import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home, identifyProcess, lockHome, shareHome } from './home.ts';
import { beginStart } from './start-attempt.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-new-home-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const self = identifyProcess(process.pid) ?? { pid: process.pid, started: '' };

/** A start that writes files, and fails unless `succeeds` is set. */
function start(home: Home, { succeeds = false, lock = lockHome, writes = () => {} } = {}): void {
  const attempt = beginStart(home);
  home.create();
  const unlock = lock(home, self, identifyProcess);
  for (const path of [home.database, home.ports, join(home.pki, 'ca.pem')]) home.write(path, 'x');
  mkdirSync(home.auditEvents, { recursive: true });
  writes();
  if (succeeds) attempt.succeed();
  attempt.clear();
  unlock();
  attempt.removeFolders();
}

describe('a failed start', () => {
  test('leaves no directory if none existed before', () => {
    start(new Home(join(folder, 'a', 'b', '.fairway')));

    expect(readdirSync(folder)).toEqual([]);
  });

  test("leaves a user's directory with its contents", () => {
    writeFileSync(join(folder, 'notes'), '');
    start(new Home(folder));

    expect(readdirSync(folder)).toEqual(['notes']);
  });

  test('leaves a home alone if Fairway has run on it', () => {
    const home = new Home(join(folder, '.fairway'));
    start(home, { succeeds: true });
    start(home, { writes: () => home.write(home.kubeconfig, 'new') });

    expect(readdirSync(home.path)).toEqual(expect.arrayContaining(['fairway.db', 'kubeconfig', 'pki', 'ports.json']));
  });

  test('leaves a home alone if a management cluster may refer to it', () => {
    const home = new Home(join(folder, '.fairway'));
    start(home, { lock: shareHome, writes: () => home.write(home.id, 'id') });

    expect(existsSync(home.id)).toBe(true);
  });

  test('leaves a home alone if another process uses it', () => {
    const home = new Home(join(folder, '.fairway'));
    const parent = identifyProcess(process.ppid);
    if (parent === undefined) throw new Error('this process has no parent');
    start(home, { lock: shareHome, writes: () => shareHome(home, parent, identifyProcess) });

    expect(existsSync(home.database)).toBe(true);
  });
});
