import { expect, test } from 'vitest';
import { launchersOf, type ObservedProcess, processInProc } from './launcher.ts';

type ProcessSpec = Partial<ObservedProcess> & Pick<ObservedProcess, 'pid' | 'parent' | 'group'>;

const SELF = 100;
const NPM = { pid: 90, parent: 50, group: 90, name: 'npm start' };
const SH = { pid: 95, parent: 90, group: 90, name: 'sh -c fairway up' };

/** Ids of the processes that `SELF` follows. */
function followedIds(
  others: readonly ProcessSpec[],
  options: { hasInput?: boolean; launcher?: number; session?: number },
) {
  const table = new Map(
    others.map((spec) => [spec.pid, { session: options.session ?? 50, started: '1', name: 'x', ...spec }]),
  );
  const { hasInput = true, launcher } = options;
  return launchersOf(SELF, { processes: (pid) => table.get(pid), hasInput, launcher }).map(({ pid }) => pid);
}

test.each([
  { of: [SH, NPM], self: { parent: 95, group: 90 }, hasInput: true, ids: [95, 90], reason: 'npm start' },
  { of: [SH, NPM], self: { parent: 95, group: 90 }, hasInput: false, ids: [95, 90], reason: 'npm start < /dev/null' },
  { of: [NPM], self: { parent: 90, group: 90 }, hasInput: true, ids: [90], reason: 'a shell that uses exec' },
  {
    of: [{ pid: 95, parent: 50, group: 95, name: 'bash deploy.sh' }],
    self: { parent: 95, group: 95 },
    hasInput: true,
    ids: [95],
    reason: 'the foreground of a script',
  },
  {
    of: [{ pid: 95, parent: 50, group: 95, name: 'bash deploy.sh' }],
    self: { parent: 95, group: 95 },
    hasInput: false,
    ids: [],
    reason: 'nohup, or & in a script',
  },
  {
    of: [{ pid: 95, parent: 50, group: 95, name: 'bash' }],
    self: { parent: 95, group: SELF },
    hasInput: true,
    ids: [],
    reason: 'a job of an interactive shell',
  },
  { of: [SH, NPM], self: { parent: 95, group: SELF, session: SELF }, hasInput: true, ids: [], reason: 'setsid' },
  {
    of: [{ pid: 1, parent: 0, group: 1, name: 'systemd' }],
    self: { parent: 1, group: 90 },
    hasInput: true,
    ids: [],
    reason: 'a child of init',
  },
])('follows $ids with $reason', ({ of, self, hasInput, ids }) => {
  expect(followedIds([...of, { pid: SELF, ...self }], { hasInput })).toEqual(ids);
});

test('follows the launcher for old Node versions and the parents of that launcher, even as a daemon', () => {
  const launcher = { pid: 98, parent: 95, group: 90, name: 'node fairway.js up' };
  const self = { pid: SELF, parent: 98, group: 90 };

  expect(followedIds([self, launcher, SH, NPM], { launcher: 98 })).toEqual([98, 95, 90]);
  expect(followedIds([self, { ...launcher, group: 98 }, SH, NPM], { launcher: 98, hasInput: false })).toEqual([98]);
});

test('reads a process on this machine from /proc', () => {
  expect(processInProc(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
  expect(processInProc(2 ** 22 + 1)).toBeUndefined();
});
