import { expect, it } from 'vitest';
import type { ObservedProcess } from '../command/launcher.ts';
import { isAlive, requesterOf } from './process-ref.ts';

const table: Readonly<Record<number, ObservedProcess>> = {
  10: { pid: 10, parent: 1, group: 10, session: 10, started: '100', name: 'kubectl' },
  11: { pid: 11, parent: 10, group: 10, session: 10, started: '110', name: 'node bin/fairway.js' },
};
const processes = (pid: number) => table[pid];

it.each([
  { reason: 'started by kubectl', env: {}, parent: 10, asker: { pid: 10, started: '100' } },
  {
    reason: 'started by the launcher for kubectl',
    env: { FAIRWAY_LAUNCHER: '11' },
    parent: 11,
    asker: { pid: 10, started: '100' },
  },
  {
    reason: 'a launcher higher up is ignored',
    env: { FAIRWAY_LAUNCHER: '9' },
    parent: 10,
    asker: { pid: 10, started: '100' },
  },
  { reason: 'without /proc', env: {}, parent: 12, asker: { pid: 12, started: '' } },
])('identifies the requester by pid and start time: $reason', ({ env, parent, asker }) => {
  expect(requesterOf(env, parent, processes)).toEqual(asker);
});

it.each([
  { reason: 'it runs', holder: { pid: 10, started: '100' }, alive: true },
  { reason: 'another process now has its pid', holder: { pid: 10, started: '99' }, alive: false },
  { reason: 'it has ended', holder: { pid: 12, started: '1' }, alive: false },
  { reason: 'it is running, but its start time is unknown', holder: { pid: process.pid, started: '' }, alive: true },
])('detects whether a process is alive: $reason', ({ holder, alive }) => {
  expect(isAlive(holder, processes)).toBe(alive);
});
