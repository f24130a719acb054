import type { Cluster } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { clusterHold, type PolicyFacts, policyHold } from './hold.ts';

const ready = (status: 'True' | 'False', reason = 'AsExpected') => [
  { type: 'ControlPlaneReady', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
];
const clusterWith = (status: NonNullable<Cluster['status']>): Cluster => ({ ...aCluster(), status });

describe('no node is updated', () => {
  test.each([
    {
      reason: 'before the control plane runs the new version',
      status: { version: '1.34.1', desiredVersion: '1.35.0', conditions: ready('True') },
      says: /updated to 1\.35\.0 first/,
    },
    {
      reason: 'while the API server is unavailable',
      status: { version: '1.34.1', desiredVersion: '1.34.1', conditions: ready('False') },
      says: /cannot be reached/,
    },
    {
      reason: 'while the database is being restored',
      status: { version: '1.34.1', conditions: ready('False', 'Restoring') },
      says: /being restored/,
    },
  ])('$reason', ({ status, says }) => {
    expect(clusterHold(clusterWith(status), true)).toMatchObject({
      kind: 'Freeze',
      message: expect.stringMatching(says),
    });
  });

  test('by a process that is not connected', () => {
    const status = { version: '1.34.1', desiredVersion: '1.34.1', conditions: ready('True') };

    expect(clusterHold(clusterWith(status), false)).toBeDefined();
    expect(clusterHold(clusterWith(status), true)).toBeUndefined();
  });
});

describe('the hold by policy and window', () => {
  const rollingUpdate = { strategy: 'Rolling', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const inPlace = { strategy: 'InPlace', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const window = { reason: 'WaitingForMaintenanceWindow', message: 'opens at two' } as const;
  const open = { hasWindow: false, asked: undefined, automatic: undefined, forced: undefined };
  const closed = { hasWindow: true, asked: undefined, automatic: window, forced: window };

  test.each([
    {
      what: 'does not apply to a version requested by a user',
      cause: 'Asked',
      policy: 'NeverUpdate',
      facts: { ...closed, ...inPlace },
      held: undefined,
    },
    {
      what: 'applies to a requested version if the cluster confines changes',
      cause: 'Asked',
      policy: 'NeverUpdate',
      facts: { ...closed, asked: window, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'delays a minor version that was not requested',
      cause: 'Forced',
      policy: 'NeverUpdate',
      facts: { ...closed, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'lets a minor version follow the control plane in the window, regardless of the policy',
      cause: 'Forced',
      policy: 'NeverUpdate',
      facts: { ...open, ...inPlace },
      held: undefined,
    },
    {
      what: 'lets a patch follow the control plane',
      cause: 'Patch',
      policy: 'AlwaysUpdate',
      facts: { ...open, ...inPlace },
      held: undefined,
    },
    {
      what: 'delays a patch until the window',
      cause: 'Patch',
      policy: 'AlwaysUpdate',
      facts: { ...closed, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'leaves a patch to users who opted out',
      cause: 'Patch',
      policy: 'NeverUpdate',
      facts: { ...open, ...rollingUpdate },
      held: 'Stop',
    },
    {
      what: 'allows a patch if no node becomes unavailable',
      cause: 'Patch',
      policy: 'MinimalDowntime',
      facts: { ...open, ...rollingUpdate },
      held: undefined,
    },
    {
      what: 'leaves a patch to the user if a node becomes unavailable',
      cause: 'Patch',
      policy: 'MinimalDowntime',
      facts: { ...open, ...inPlace },
      held: 'Stop',
    },
    {
      what: 'blocks a newer image without a window',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...open, ...rollingUpdate },
      held: 'Stop',
    },
    {
      what: 'delays a newer image until the window',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...closed, ...rollingUpdate },
      held: 'Finish',
    },
    {
      what: 'allows a newer image in the window',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...open, hasWindow: true, ...rollingUpdate },
      held: undefined,
    },
    {
      what: 'always blocks a newer image for users who opted out',
      cause: 'ImageBuild',
      policy: 'NeverUpdate',
      facts: { ...open, hasWindow: true, ...rollingUpdate },
      held: 'Stop',
    },
  ] as const)('$what', ({ cause, policy, facts, held }) => {
    const policyFacts: PolicyFacts = { ...facts, cluster: aCluster({ updatePolicy: policy }) };

    expect(policyHold(cause, policyFacts)?.kind).toBe(held);
  });
});
