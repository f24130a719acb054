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

/** A home with permissions set by an older release, or an operator. */
function openHome(): void {
  mkdirSync(home.pki, { recursive: true });
  mkdirSync(home.controlPlanes);
  for (const path of [home.database, `${home.database}-wal`, home.kubeconfig, home.encryptionKeys]) {
    writeFileSync(path, 'secret');
    chmodSync(path, 0o644);
  }
  for (const path of [home.path, home.pki, home.controlPlanes]) chmodSync(path, 0o755);
}

test('a home that others can read is made private, with its databases, keys and kubeconfig', () => {
  openHome();
  home.create();

  expect([home.path, home.pki, home.controlPlanes].map(modeOf)).toEqual(['700', '700', '700']);
  const files = [home.database, `${home.database}-wal`, home.kubeconfig, home.encryptionKeys];
  expect(files.map(modeOf)).toEqual(['600', '600', '600', '600']);
});

test('the target of a symlink keeps its mode', () => {
  openHome();
  const outside = join(folder, 'clouds.yaml');
  writeFileSync(outside, '');
  chmodSync(outside, 0o644);
  symlinkSync(outside, home.cloudsYaml);
  home.create();

  expect(modeOf(outside)).toBe('644');
});

test("another user's home is rejected, and the error names its owner", () => {
  openHome();
  const { uid } = statSync(home.path);

  expect(() => restrictHomeAccess(home, uid + 1)).toThrow(SharedHomeError);
  expect(() => restrictHomeAccess(home, uid + 1)).toThrow(
    `${home.path} belongs to user ${uid}, but fairway runs as user`,
  );
  expect(modeOf(home.path)).toBe('755');
});

test.each([
  { mode: 0o1777, isEmpty: true, reason: 'that all share' },
  { mode: 0o1777, isEmpty: false, reason: 'that all share' },
  { mode: 0o777, isEmpty: false, reason: 'that others write in' },
])('a folder $reason is refused as a home, and keeps its mode $mode', ({ mode, isEmpty }) => {
  mkdirSync(home.path);
  if (!isEmpty) writeFileSync(join(home.path, 'other'), '');
  chmodSync(home.path, mode);

  expect(() => home.create()).toThrow(/Fairway stores secrets there: use another folder with --home/);
  expect(modeOf(home.path)).toBe(mode.toString(8));
});

test.each([
  { mode: 0o755, isEmpty: true, after: '700', reason: 'nothing else is in it' },
  { mode: 0o777, isEmpty: true, after: '700', reason: 'nothing else is in it' },
  { mode: 0o755, isEmpty: false, after: '755', reason: 'it is for other things too' },
])('a folder of mode $mode that becomes a home has $after, because $reason', ({ mode, isEmpty, after }) => {
  mkdirSync(home.path);
  if (!isEmpty) writeFileSync(join(home.path, 'other'), '');
  chmodSync(home.path, mode);
  home.create();

  expect(modeOf(home.path)).toBe(after);
  expect(modeOf(home.pki)).toBe('700');
});
