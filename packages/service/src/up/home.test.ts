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

test('a home has one Fairway at a time, and the error says which to stop', () => {
  lockHome(home, self, () => undefined);

  expect(() => lockHome(home, { pid: 200, started: '9' }, () => self)).toThrow(HomeInUseError);
  expect(() => lockHome(home, { pid: 200, started: '9' }, () => self)).toThrow(/kill 100/);
});

test.each([
  { holder: undefined, reason: 'its process is gone' },
  { holder: { pid: 100, started: '777' }, reason: 'its process id has gone to another process' },
])('a lock is taken over when $reason', ({ holder }) => {
  lockHome(home, self, () => undefined);

  lockHome(home, { pid: 200, started: '9' }, () => holder);

  expect(readFileSync(home.lock, 'utf8')).toBe('200 9');
});

test('a released lock is free', () => {
  lockHome(home, self, () => undefined)();

  expect(home.read(home.lock)).toBeUndefined();
});

describe('replicas share a home', () => {
  const others = new Map(
    [self, { pid: 200, started: '9' }, { pid: 300, started: '7' }].map((each) => [each.pid, each]),
  );
  const identify = (pid: number) => others.get(pid);
  const as = (pid: number) => others.get(pid) ?? self;

  test('with each other, but not with a process that locks it exclusively', () => {
    shareHome(home, as(200), identify);
    const leave = shareHome(home, as(300), identify);
    expect(() => lockHome(home, self, identify)).toThrow(/kill [23]00/);
    expect(home.read(home.lock)).toBeUndefined();
    leave();

    expect(() => lockHome(home, self, identify)).toThrow(/kill 200/);
  });

  test('never while a process has locked it exclusively', () => {
    const free = lockHome(home, self, identify);
    expect(() => shareHome(home, as(200), identify)).toThrow(/kill 100/);
    free();
    shareHome(home, as(200), identify);

    expect(home.read(home.lockOf(200))).toBe('200 9');
  });

  test('and locks of processes that no longer exist are ignored', () => {
    shareHome(home, { pid: 400, started: '1' }, identify);
    lockHome(home, self, identify);

    expect(home.read(home.lockOf(400))).toBeUndefined();
  });
});

test('this process is identified, one that does not exist is not', () => {
  expect(identifyProcess(process.pid)?.pid).toBe(process.pid);
  expect(identifyProcess(2 ** 22 + 1)).toBeUndefined();
});

test('a folder that cannot be created is an error, not a hang', () => {
  expect(() => new Home('/proc/fairway/home').create()).toThrow(/ENOENT/);
});

test.each([
  { way: 'at once', write: async () => home.write(home.kubeconfig, 'secret') },
  { way: 'while Fairway runs', write: () => home.replace(home.kubeconfig, 'secret') },
])('a file written $way is only readable by its owner', async ({ write }) => {
  await write();

  expect(statSync(home.kubeconfig).mode & 0o777).toBe(0o600);
  expect(home.read(home.kubeconfig)).toBe('secret');
});
