import { expect, it } from 'vitest';
import type { ObservedProcess } from '../command/launcher.ts';
import { askerOf, isAlive } from './asker.ts';

const table: Readonly<Record<number, ObservedProcess>> = {
  10: { pid: 10, parent: 1, group: 10, session: 10, started: '100', name: 'kubectl' },
  11: { pid: 11, parent: 10, group: 10, session: 10, started: '110', name: 'node bin/fairway.js' },
};
const processes = (pid: number) => table[pid];

it.each([
  { reason: 'kubectl started it', env: {}, parent: 10, asker: { pid: 10, started: '100' } },
  {
    reason: 'the launcher did, for kubectl',
    env: { FAIRWAY_LAUNCHER: '11' },
    parent: 11,
    asker: { pid: 10, started: '100' },
  },
  {
    reason: 'a launcher further up is no part of it',
    env: { FAIRWAY_LAUNCHER: '9' },
    parent: 10,
    asker: { pid: 10, started: '100' },
  },
  { reason: 'there is no /proc', env: {}, parent: 12, asker: { pid: 12, started: '' } },
])('is known by its id and its start: $reason', ({ env, parent, asker }) => {
  expect(askerOf(env, parent, processes)).toEqual(asker);
});

it.each([
  { reason: 'it runs', holder: { pid: 10, started: '100' }, alive: true },
  { reason: 'its id is another process’s now', holder: { pid: 10, started: '99' }, alive: false },
  { reason: 'it is gone', holder: { pid: 12, started: '1' }, alive: false },
  { reason: 'it runs, by its signal', holder: { pid: process.pid, started: '' }, alive: true },
])('is alive or not: $reason', ({ holder, alive }) => {
  expect(isAlive(holder, processes)).toBe(alive);
});
