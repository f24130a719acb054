import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { kubeconfigsRevoked, rotationReached } from './credentials-goal.ts';

const ready = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'AsExpected',
  message: '',
  lastTransitionTime: '2026-11-22T00:00:00Z',
};
const message = 'all kubeconfigs from before now are being revoked';
const revoking = {
  ...ready,
  type: 'CredentialsStable',
  status: 'False' as const,
  reason: 'RevokingKubeconfigs',
  message,
};
const revoked = (requested: string) => ({
  caNotAfter: '2036-01-01T00:00:00Z',
  revocation: { requested, time: '2026-11-22T00:00:00Z' },
});

test.each<{ reason: string; status: ClusterStatus | undefined; state: string; detail: string }>([
  { reason: 'the request is not observed yet', status: { conditions: [ready] }, state: 'running', detail: '' },
  {
    reason: 'an earlier request is in effect',
    status: { conditions: [ready, revoking], credentials: revoked('before') },
    state: 'running',
    detail: message,
  },
  {
    reason: 'the request is in effect',
    status: { conditions: [ready], credentials: revoked('now') },
    state: 'done',
    detail: '',
  },
  {
    reason: 'the request is in effect, and the cluster has other problems',
    status: { conditions: [{ ...ready, status: 'False', reason: 'QuotaExceeded' }], credentials: revoked('now') },
    state: 'done',
    detail: '',
  },
])('$reason: $state', ({ status, state, detail }) => {
  const cluster = { ...aCluster({}, { name: 'demo', generation: 1 }), status: { observedGeneration: 1, ...status } };
  const view = { cluster, pools: [], machines: [] };

  expect(kubeconfigsRevoked('demo', 'now').outcome(view).state).toBe(state);
  expect(kubeconfigsRevoked('demo', 'now').steps(view)).toMatchObject([{ detail }]);
});

const renewalMessage = 'nodes are being renewed';
const preparing = {
  ...ready,
  type: 'CredentialsStable',
  status: 'False' as const,
  reason: 'PreparingRotation',
  message: renewalMessage,
};
const rotation = (phase: 'Stable' | 'Preparing' | 'Prepared' | 'Completing', requested = 'now') => ({
  ...revoked('before'),
  phase,
  rotation: requested,
});

test.each<{ reason: string; status: ClusterStatus; until: 'Prepared' | 'Stable'; state: string; detail: string }>([
  {
    reason: 'the request is not observed yet',
    status: { conditions: [ready], credentials: rotation('Stable', 'before') },
    until: 'Prepared',
    state: 'running',
    detail: '',
  },
  {
    reason: 'nodes are being replaced',
    status: {
      conditions: [ready, preparing],
      credentials: { ...rotation('Preparing'), nodes: { total: 3, renewed: 1 } },
    },
    until: 'Prepared',
    state: 'running',
    detail: '1/3 nodes are replaced: nodes are being renewed',
  },
  {
    reason: 'everything is prepared',
    status: { conditions: [ready, preparing], credentials: rotation('Prepared') },
    until: 'Prepared',
    state: 'done',
    detail: '',
  },
  {
    reason: 'everything is prepared, and the request to complete it is not observed yet',
    status: { conditions: [ready, preparing], credentials: rotation('Prepared') },
    until: 'Stable',
    state: 'running',
    detail: renewalMessage,
  },
  {
    reason: 'the rotation is complete',
    status: { conditions: [ready], credentials: rotation('Stable') },
    until: 'Stable',
    state: 'done',
    detail: '',
  },
])('waits until $until: $reason: $state', ({ status, until, state, detail }) => {
  const cluster = { ...aCluster({}, { name: 'demo', generation: 1 }), status: { observedGeneration: 1, ...status } };
  const view = { cluster, pools: [], machines: [] };

  expect(rotationReached('demo', 'now', until).outcome(view).state).toBe(state);
  expect(rotationReached('demo', 'now', until).steps(view)).toMatchObject([{ detail }]);
});
