import { describe, expect, test } from 'vitest';
import { type Component, perComponent } from './components.ts';
import {
  HANG_TIMEOUT_MS,
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

describe('steps to start a control plane', () => {
  test.each<Row>([
    { reason: 'do nothing if everything works', observed: {}, steps: [] },
    {
      reason: 'terminate a component that uses too much memory, even if others are not ready',
      observed: {
        etcd: running('etcd', unready),
        'kube-scheduler': running('kube-scheduler', { killReason: 'memory' }),
      },
      steps: [{ do: 'terminate', component: 'kube-scheduler', reason: 'offends' }],
    },
    { reason: 'start etcd first', observed: nothing, steps: [{ do: 'start', component: 'etcd' }] },
    {
      reason: 'wait for etcd to respond',
      observed: { ...nothing, etcd: running('etcd', unready) },
      steps: [],
    },
    {
      reason: 'start the API server once etcd is ready',
      observed: { ...nothing, etcd: running('etcd') },
      steps: [{ do: 'start', component: 'kube-apiserver' }],
    },
    {
      reason: 'start the clients of the API server together',
      observed: { 'kube-controller-manager': absent, 'kube-scheduler': absent },
      steps: [
        { do: 'start', component: 'kube-controller-manager' },
        { do: 'start', component: 'kube-scheduler' },
      ],
    },
    {
      reason: 'wait for the backoff of a component that exited',
      observed: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS + 1 } },
      steps: [],
    },
    {
      reason: 'start a component after its backoff',
      observed: { 'kube-scheduler': { process: undefined, retryAtMs: NOW_MS } },
      steps: [{ do: 'start', component: 'kube-scheduler' }],
    },
    {
      reason: 'restart a component with other settings',
      observed: { 'kube-apiserver': running('kube-apiserver', { fingerprint: 'other' }) },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'changed' }],
    },
    {
      reason: 'upgrade etcd first, and the other components once it is ready again',
      observed: perComponent((component) => running(component, { fingerprint: 'old' })),
      steps: [{ do: 'terminate', component: 'etcd', reason: 'changed' }],
    },
    {
      reason: 'wait for a terminating component',
      observed: { etcd: running('etcd', { fingerprint: 'old', terminatedAtMs: NOW_MS - 1 }) },
      steps: [],
    },
    {
      reason: 'kill a component that does not terminate in time',
      observed: { etcd: running('etcd', { terminatedAtMs: NOW_MS - TERMINATION_GRACE_MS }) },
      steps: [{ do: 'kill', component: 'etcd' }],
    },
    {
      reason: 'restart a component that has not responded for minutes',
      observed: {
        'kube-apiserver': running('kube-apiserver', { ready: false, unreadySinceMs: NOW_MS - HANG_TIMEOUT_MS }),
      },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'hangs' }],
    },
    {
      reason: 'do not restart a component that does not respond because etcd does not respond',
      observed: {
        etcd: running('etcd', unready),
        'kube-apiserver': running('kube-apiserver', { ready: false, unreadySinceMs: NOW_MS - HANG_TIMEOUT_MS }),
      },
      steps: [],
    },
  ])('$reason', ({ observed, steps }) => {
    expect(planSteps(DESIRED, { ...allRunning, ...observed }, NOW_MS)).toEqual(steps);
  });
});

describe('steps to stop a control plane', () => {
  const ending = (component: Component, sinceMs: number) => running(component, { terminatedAtMs: NOW_MS - sinceMs });

  test.each<Row>([
    {
      reason: 'terminate clients of the API server first',
      observed: allRunning,
      steps: [
        { do: 'terminate', component: 'kube-controller-manager', reason: 'unwanted' },
        { do: 'terminate', component: 'kube-scheduler', reason: 'unwanted' },
      ],
    },
    {
      reason: 'wait for both clients',
      observed: {
        etcd: running('etcd'),
        'kube-apiserver': running('kube-apiserver'),
        'kube-scheduler': ending('kube-scheduler', 1),
      },
      steps: [],
    },
    {
      reason: 'terminate the API server next',
      observed: { etcd: running('etcd'), 'kube-apiserver': running('kube-apiserver') },
      steps: [{ do: 'terminate', component: 'kube-apiserver', reason: 'unwanted' }],
    },
    {
      reason: 'terminate etcd last, whichever process started it',
      observed: { etcd: running('etcd', { fingerprint: 'unknown' }) },
      steps: [{ do: 'terminate', component: 'etcd', reason: 'unwanted' }],
    },
    {
      reason: 'kill a component that does not terminate in time',
      observed: { etcd: ending('etcd', TERMINATION_GRACE_MS) },
      steps: [{ do: 'kill', component: 'etcd' }],
    },
    { reason: 'end once no component is left', observed: {}, steps: [] },
  ])('$reason', ({ observed, steps }) => {
    expect(planStop({ ...nothing, ...observed }, NOW_MS)).toEqual(steps);
  });
});
