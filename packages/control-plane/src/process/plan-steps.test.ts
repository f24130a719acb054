import { describe, expect, test } from 'vitest';
import { type Component, perComponent } from './components.ts';
import {
  HANGS_AFTER_MS,
  type ObservedComponent,
  type ObservedProcess,
  planSteps,
  planStop,
  type Step,
  TERMINATION_GRACE_MS,
} from './plan-steps.ts';

const NOW_MS = 1_000_000;
const DESIRED = perComponent((component) => `${component}-1`);

function running(component: Component, change: Partial<ObservedProcess> = {}): ObservedComponent {
  const process = {
    fingerprint: DESIRED[component],
    ready: true,
    unreadySinceMs: undefined,
    terminatedAtMs: undefined,
    killReason: undefined,
    ...change,
  };
  return { process, retryAtMs: 0 };
}

const absent: ObservedComponent = { process: undefined, retryAtMs: 0 };
const unready = { ready: false, unreadySinceMs: NOW_MS - 1000 };
const allRunning = perComponent((component) => running(component));
const nothing = perComponent(() => absent);

type Row = {
  readonly reason: string;
  readonly observed: Partial<Record<Component, ObservedComponent>>;
  readonly steps: readonly Step[];
};

describe('steps until everything runs', () => {
  test.each<Row>([
    { reason: 'everything works', observed: {}, steps: [] },
    {
      reason: 'one takes too much memory, whoever else is not ready',
      observed: {
        etcd: running('etcd', unready),
        'kube-scheduler': running('kube-scheduler', { killReason: 'memory' }),
      },
      steps: [{ do: 'terminate', component: 'kube-scheduler', reason: 'offends' }],
    },
    { reason: 'nobody runs before etcd', observed: nothing, steps: [{ do: 'start', component: 'etcd' }] },
    {
      reason: 'etcd does not answer yet',
      observed: { ...nothing, etcd: running('etcd', unready) },
      steps: [],
    },
    {
      reason: 'etcd serves, so the API server can start',
      observed: { ...nothing, etcd: running('etcd') },
      steps: [{ do: 'start', component: 'kube-apiserver' }],
    },
    {
      reason: 'its clients start together',
      observed: { 'kube-controller-manager': absent, 'kube-scheduler': absent },
      steps: [
        { do: 'start', component: 'kube-controller-manager' },
        { do: 'start', component: 'kube-scheduler' },
      ],
    },
    {
      reason: 'what ended by itself waits for its time',
      observed: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 1 } },
      steps: [],
    },
    {
      reason: 'which has come',
      observed: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS } },
      steps: [{ do: 'start', component: 'kube-scheduler' }],
    },
    {
      reason: 'other settings need another start',
      observed: { 'kube-apiserver': running('kube-apiserver', { fingerprint: 'other' }) },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'changed' }],
    },
    {
      reason: 'all are of an older version: etcd goes first, and the others once it is back',
      observed: perComponent((component) => running(component, { fingerprint: 'old' })),
      steps: [{ do: 'terminate', component: 'etcd', reason: 'changed' }],
    },
    {
      reason: 'it has been told to end, and has time to',
      observed: { etcd: running('etcd', { fingerprint: 'old', terminatedAtMs: NOW_MS - 1 }) },
      steps: [],
    },
    {
      reason: 'its time is over',
      observed: { etcd: running('etcd', { terminatedAtMs: NOW_MS - TERMINATION_GRACE_MS }) },
      steps: [{ do: 'kill', component: 'etcd' }],
    },
    {
      reason: 'it has not answered for minutes',
      observed: {
        'kube-apiserver': running('kube-apiserver', { ready: false, unreadySinceMs: NOW_MS - HANGS_AFTER_MS }),
      },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'hangs' }],
    },
    {
      reason: 'it does not answer because etcd does not: another start would not help',
      observed: {
        etcd: running('etcd', unready),
        'kube-apiserver': running('kube-apiserver', { ready: false, unreadySinceMs: NOW_MS - HANGS_AFTER_MS }),
      },
      steps: [],
    },
  ])('$reason', ({ observed, steps }) => {
    expect(planSteps(DESIRED, { ...allRunning, ...observed }, NOW_MS)).toEqual(steps);
  });
});

describe('steps until nothing runs', () => {
  const ending = (component: Component, sinceMs: number) => running(component, { terminatedAtMs: NOW_MS - sinceMs });

  test.each<Row>([
    {
      reason: 'clients of the API end first',
      observed: allRunning,
      steps: [
        { do: 'terminate', component: 'kube-controller-manager', reason: 'unwanted' },
        { do: 'terminate', component: 'kube-scheduler', reason: 'unwanted' },
      ],
    },
    {
      reason: 'the API server waits for both',
      observed: {
        etcd: running('etcd'),
        'kube-apiserver': running('kube-apiserver'),
        'kube-scheduler': ending('kube-scheduler', 1),
      },
      steps: [],
    },
    {
      reason: 'the API server is next',
      observed: { etcd: running('etcd'), 'kube-apiserver': running('kube-apiserver') },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'unwanted' }],
    },
    {
      reason: 'etcd is last, whoever it was started by',
      observed: { etcd: running('etcd', { fingerprint: 'unknown' }) },
      steps: [{ do: 'terminate', component: 'etcd', reason: 'unwanted' }],
    },
    {
      reason: 'what does not end is killed',
      observed: { etcd: ending('etcd', TERMINATION_GRACE_MS) },
      steps: [{ do: 'kill', component: 'etcd' }],
    },
    { reason: 'nothing is left', observed: {}, steps: [] },
  ])('$reason', ({ observed, steps }) => {
    expect(planStop({ ...nothing, ...observed }, NOW_MS)).toEqual(steps);
  });
});
