import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { clusterAwake, clusterHibernated } from './hibernation-goal.ts';

const ready = (reason: string, message = '') => [
  {
    type: 'Ready',
    status: reason === 'AsExpected' ? ('True' as const) : ('False' as const),
    reason,
    message,
    lastTransitionTime: '2026-11-22T00:00:00Z',
  },
];

const hibernation = (wanted: boolean, hibernated: boolean) => ({
  wanted,
  wantedSince: '2026-11-22T00:00:00Z',
  hibernated,
});

const view = (status: ClusterStatus) => ({
  cluster: { ...aCluster({}, { name: 'demo', generation: 2 }), status: { observedGeneration: 2, ...status } },
  pools: [],
  machines: [],
});

test.each([
  {
    reason: 'the cluster is Ready, and the request is not observed yet',
    status: { observedGeneration: 1, conditions: ready('AsExpected') },
    state: 'running',
  },
  {
    reason: 'nodes are being removed',
    status: { hibernation: hibernation(true, false), conditions: ready('Hibernating') },
    state: 'running',
  },
  {
    reason: 'the cluster is hibernated',
    status: { hibernation: hibernation(true, true), conditions: ready('Hibernated') },
    state: 'done',
  },
  {
    reason: 'the cluster is paused',
    status: { conditions: [{ ...ready('Paused')[0], type: 'Paused', status: 'True' as const }] as never },
    state: 'blocked',
  },
])('hibernating: $reason: $state', ({ status, state }) => {
  expect(clusterHibernated('demo').outcome(view(status)).state).toBe(state);
});

test.each([
  {
    reason: 'the request is not observed yet',
    status: { observedGeneration: 1, conditions: ready('Hibernated') },
    state: 'running',
  },
  {
    reason: 'the control plane is starting',
    status: { hibernation: hibernation(false, false), conditions: ready('Provisioning') },
    state: 'running',
  },
  { reason: 'the quota is used up', status: { conditions: ready('QuotaExceeded') }, state: 'blocked' },
  {
    reason: 'all nodes are ready',
    status: { hibernation: hibernation(false, false), conditions: ready('AsExpected') },
    state: 'done',
  },
])('waking: $reason: $state', ({ status, state }) => {
  expect(clusterAwake('demo').outcome(view(status)).state).toBe(state);
});
