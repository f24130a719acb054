import { expect, test } from 'vitest';
import { nextCheckMs } from './check-schedule.ts';
import { type Component, perComponent } from './components.ts';
import type { ObservedComponent } from './plan-steps.ts';

const NOW_MS = 1_000_000;
const SERVES: ObservedComponent['process'] = {
  fingerprint: '',
  ready: true,
  unreadySinceMs: undefined,
  terminatedAtMs: undefined,
  killReason: undefined,
};
const starting = (forMs: number) => ({ ...SERVES, ready: false, unreadySinceMs: NOW_MS - forMs });

test.each<{ reason: string; of: Partial<Record<Component, Partial<ObservedComponent>>>; waitMs: number }>([
  { reason: 'it has just been started', of: { etcd: { process: starting(0) } }, waitMs: 200 },
  {
    reason: 'it starts for as long as an API server does',
    of: { 'kube-apiserver': { process: starting(25_000) } },
    waitMs: 1000,
  },
  { reason: 'it has hung for minutes', of: { etcd: { process: starting(600_000) } }, waitMs: 5000 },
  {
    reason: 'it is to be started again in a while',
    of: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 3000 } },
    waitMs: 3000,
  },
  {
    reason: 'it is to be started again in a minute: adopted ones may end meanwhile',
    of: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 60_000 } },
    waitMs: 5000,
  },
  { reason: 'it waits for what it needs', of: { 'kube-apiserver': { process: undefined } }, waitMs: 5000 },
  {
    reason: 'it was told to end',
    of: { etcd: { process: { ...SERVES, terminatedAtMs: NOW_MS - 10_000 } } },
    waitMs: 200,
  },
])('the next check is in $waitMs ms: $reason', ({ of, waitMs }) => {
  const observed = perComponent((component) => ({ process: SERVES, retryAtMs: 0, ...of[component] }));

  expect(nextCheckMs(observed, NOW_MS)).toBe(waitMs);
});
