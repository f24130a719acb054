import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from './home.ts';
import { restrictHomeAccess, SharedHomeError } from './private-home.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-private-'));
  home = new Home(join(folder, 'home'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

/** A home with permissions set by an older release, or by an operator. */
function openHome(): void {
  mkdirSync(home.pki, { recursive: true });
  mkdirSync(home.controlPlanes);
  for (const path of [home.database, `${home.database}-wal`, home.kubeconfig, home.encryptionKeys]) {
    writeFileSync(path, 'secret');
    chmodSync(path, 0o644);
  }
  for (const path of [home.path, home.pki, home.controlPlanes]) chmodSync(path, 0o755);
}

test('makes a home that others can read private, including its databases, keys and kubeconfig', () => {
  openHome();
  home.create();

  expect([home.path, home.pki, home.controlPlanes].map(modeOf)).toEqual(['700', '700', '700']);
  const files = [home.database, `${home.database}-wal`, home.kubeconfig, home.encryptionKeys];
  expect(files.map(modeOf)).toEqual(['600', '600', '600', '600']);
});

test('keeps the mode of a symlink’s target', () => {
  openHome();
  const outsidePath = join(folder, 'clouds.yaml');
  writeFileSync(outsidePath, '');
  chmodSync(outsidePath, 0o644);
  symlinkSync(outsidePath, home.cloudsYaml);
  home.create();

  expect(modeOf(outsidePath)).toBe('644');
});

test("rejects another user's home, and names its owner in the error", () => {
  openHome();
  const { uid } = statSync(home.path);

  expect(() => restrictHomeAccess(home, uid + 1)).toThrow(SharedHomeError);
  expect(() => restrictHomeAccess(home, uid + 1)).toThrow(
    `${home.path} belongs to user ${uid}, but fairway runs as user`,
  );
  expect(modeOf(home.path)).toBe('755');
});

test.each([
  { mode: 0o1777, isEmpty: true, reason: 'sticky write access for all users' },
  { mode: 0o1777, isEmpty: false, reason: 'sticky write access for all users' },
  { mode: 0o777, isEmpty: false, reason: 'write access for other users' },
])('refuses a directory $reason as a home, and keeps its mode $mode', ({ mode, isEmpty }) => {
  mkdirSync(home.path);
  if (!isEmpty) writeFileSync(join(home.path, 'other'), '');
  chmodSync(home.path, mode);

  expect(() => home.create()).toThrow(/Fairway stores secrets there: use another folder with --home/);
  expect(modeOf(home.path)).toBe(mode.toString(8));
});

test.each([
  { mode: 0o755, isEmpty: true, after: '700', reason: 'it contains nothing else' },
  { mode: 0o777, isEmpty: true, after: '700', reason: 'it contains nothing else' },
  { mode: 0o755, isEmpty: false, after: '755', reason: 'it contains other files' },
])('changes a directory from mode $mode to $after, because $reason', ({ mode, isEmpty, after }) => {
  mkdirSync(home.path);
  if (!isEmpty) writeFileSync(join(home.path, 'other'), '');
  chmodSync(home.path, mode);
  home.create();

  expect(modeOf(home.path)).toBe(after);
  expect(modeOf(home.pki)).toBe('700');
});
