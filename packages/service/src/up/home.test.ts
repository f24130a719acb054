import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home, HomeInUseError, identifyProcess, lockHome, type ProcessIdentity, shareHome } from './home.ts';

let home: Home;
beforeEach(() => {
  home = new Home(mkdtempSync(join(tmpdir(), 'fairway-home-')));
  home.create();
});
afterEach(() => rmSync(home.path, { recursive: true }));

const self: ProcessIdentity = { pid: 100, started: '5' };

test('allows one Fairway at a time in a home, and names the process to stop in the error', () => {
  lockHome(home, self, () => undefined);

  expect(() => lockHome(home, { pid: 200, started: '9' }, () => self)).toThrow(HomeInUseError);
  expect(() => lockHome(home, { pid: 200, started: '9' }, () => self)).toThrow(/kill 100/);
});

test.each([
  { holder: undefined, reason: 'its process has ended' },
  { holder: { pid: 100, started: '777' }, reason: 'another process has its PID' },
])('takes over a lock if $reason', ({ holder }) => {
  lockHome(home, self, () => undefined);

  lockHome(home, { pid: 200, started: '9' }, () => holder);

  expect(readFileSync(home.lock, 'utf8')).toBe('200 9');
});

test('deletes a lock when it is released', () => {
  lockHome(home, self, () => undefined)();

  expect(home.read(home.lock)).toBeUndefined();
});

describe('replicas that share a home', () => {
  const otherProcesses = new Map(
    [self, { pid: 200, started: '9' }, { pid: 300, started: '7' }].map((each) => [each.pid, each]),
  );
  const identify = (pid: number) => otherProcesses.get(pid);
  const as = (pid: number) => otherProcesses.get(pid) ?? self;

  test('exclude a process that locks it exclusively', () => {
    shareHome(home, as(200), identify);
    const leave = shareHome(home, as(300), identify);
    expect(() => lockHome(home, self, identify)).toThrow(/kill [23]00/);
    expect(home.read(home.lock)).toBeUndefined();
    leave();

    expect(() => lockHome(home, self, identify)).toThrow(/kill 200/);
  });

  test('cannot lock it while another process holds it exclusively', () => {
    const free = lockHome(home, self, identify);
    expect(() => shareHome(home, as(200), identify)).toThrow(/kill 100/);
    free();
    shareHome(home, as(200), identify);

    expect(home.read(home.lockOf(200))).toBe('200 9');
  });

  test('ignore locks of processes that no longer exist', () => {
    shareHome(home, { pid: 400, started: '1' }, identify);
    lockHome(home, self, identify);

    expect(home.read(home.lockOf(400))).toBeUndefined();
  });
});

test('identifies this process, but not one that does not exist', () => {
  expect(identifyProcess(process.pid)?.pid).toBe(process.pid);
  expect(identifyProcess(2 ** 22 + 1)).toBeUndefined();
});

test('reports a directory that cannot be created instead of hanging', () => {
  expect(() => new Home('/proc/fairway/home').create()).toThrow(/ENOENT/);
});

test.each([
  { way: 'at once', write: async () => home.write(home.kubeconfig, 'secret') },
  { way: 'while Fairway runs', write: () => home.replace(home.kubeconfig, 'secret') },
])('makes a file readable only by its owner if it is written $way', async ({ write }) => {
  await write();

  expect(statSync(home.kubeconfig).mode & 0o777).toBe(0o600);
  expect(home.read(home.kubeconfig)).toBe('secret');
});
