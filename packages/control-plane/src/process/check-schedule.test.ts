import { expect, test } from 'vitest';
import { nextCheckMs } from './check-schedule.ts';
import { type Component, perComponent } from './components.ts';
import type { ObservedComponent } from './plan-steps.ts';

const NOW_MS = 1_000_000;
const SERVING_PROCESS: ObservedComponent['process'] = {
  fingerprint: '',
  ready: true,
  unreadySinceMs: undefined,
  terminatedAtMs: undefined,
  killReason: undefined,
};
const starting = (forMs: number) => ({ ...SERVING_PROCESS, ready: false, unreadySinceMs: NOW_MS - forMs });

test.each<{ reason: string; of: Partial<Record<Component, Partial<ObservedComponent>>>; waitMs: number }>([
  { reason: 'the component has just started', of: { etcd: { process: starting(0) } }, waitMs: 200 },
  {
    reason: 'the component takes as long to start as an API server',
    of: { 'kube-apiserver': { process: starting(25_000) } },
    waitMs: 1000,
  },
  { reason: 'the component has hung for minutes', of: { etcd: { process: starting(600_000) } }, waitMs: 5000 },
  {
    reason: 'the component is restarted soon',
    of: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 3000 } },
    waitMs: 3000,
  },
  {
    reason: 'the component is restarted in a minute, but adopted processes may exit in the meantime',
    of: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 60_000 } },
    waitMs: 5000,
  },
  {
    reason: 'the component waits for its dependencies',
    of: { 'kube-apiserver': { process: undefined } },
    waitMs: 5000,
  },
  {
    reason: 'the component is terminating',
    of: { etcd: { process: { ...SERVING_PROCESS, terminatedAtMs: NOW_MS - 10_000 } } },
    waitMs: 200,
  },
])('checks again in $waitMs ms: $reason', ({ of, waitMs }) => {
  const observed = perComponent((component) => ({ process: SERVING_PROCESS, retryAtMs: 0, ...of[component] }));

  expect(nextCheckMs(observed, NOW_MS)).toBe(waitMs);
});
