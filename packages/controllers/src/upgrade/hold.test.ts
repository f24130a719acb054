import type { Cluster } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { clusterHold, type PolicyFacts, policyHold } from './hold.ts';

const ready = (status: 'True' | 'False', reason = 'AsExpected') => [
  { type: 'ControlPlaneReady', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
];
const clusterWith = (status: NonNullable<Cluster['status']>): Cluster => ({ ...aCluster(), status });

describe('no node is taken', () => {
  test.each([
    {
      reason: 'before the control plane runs the new version',
      status: { version: '1.34.1', desiredVersion: '1.35.0', conditions: ready('True') },
      says: /updated to 1\.35\.0 first/,
    },
    {
      reason: 'while the API server is away',
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

describe('by policy and window', () => {
  const rolling = { strategy: 'Rolling', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const inPlace = { strategy: 'InPlace', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const window = { reason: 'WaitingForMaintenanceWindow', message: 'opens at two' } as const;
  const open = { hasWindow: false, asked: undefined, automatic: undefined, forced: undefined };
  const closed = { hasWindow: true, asked: undefined, automatic: window, forced: window };

  test.each([
    {
      what: 'a version that a person asks for goes at once',
      cause: 'Asked',
      policy: 'NeverUpdate',
      facts: { ...closed, ...inPlace },
      held: undefined,
    },
    {
      what: 'unless the cluster confines it',
      cause: 'Asked',
      policy: 'NeverUpdate',
      facts: { ...closed, asked: window, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'a minor version that nobody has asked for waits for the window',
      cause: 'Forced',
      policy: 'NeverUpdate',
      facts: { ...closed, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'and follows the control plane in it, whatever the policy',
      cause: 'Forced',
      policy: 'NeverUpdate',
      facts: { ...open, ...inPlace },
      held: undefined,
    },
    {
      what: 'a patch follows the control plane',
      cause: 'Patch',
      policy: 'AlwaysUpdate',
      facts: { ...open, ...inPlace },
      held: undefined,
    },
    {
      what: 'a patch waits for the window',
      cause: 'Patch',
      policy: 'AlwaysUpdate',
      facts: { ...closed, ...inPlace },
      held: 'Finish',
    },
    {
      what: 'a patch is left to who wants none',
      cause: 'Patch',
      policy: 'NeverUpdate',
      facts: { ...open, ...rolling },
      held: 'Stop',
    },
    {
      what: 'a patch goes where no node is missing meanwhile',
      cause: 'Patch',
      policy: 'MinimalDowntime',
      facts: { ...open, ...rolling },
      held: undefined,
    },
    {
      what: 'and is left to the user where one is',
      cause: 'Patch',
      policy: 'MinimalDowntime',
      facts: { ...open, ...inPlace },
      held: 'Stop',
    },
    {
      what: 'a newer image renews no node without a window',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...open, ...rolling },
      held: 'Stop',
    },
    {
      what: 'it waits for the window',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...closed, ...rolling },
      held: 'Finish',
    },
    {
      what: 'and goes in it',
      cause: 'ImageBuild',
      policy: 'AlwaysUpdate',
      facts: { ...open, hasWindow: true, ...rolling },
      held: undefined,
    },
    {
      what: 'never for who wants none',
      cause: 'ImageBuild',
      policy: 'NeverUpdate',
      facts: { ...open, hasWindow: true, ...rolling },
      held: 'Stop',
    },
  ] as const)('$what', ({ cause, policy, facts, held }) => {
    const given: PolicyFacts = { ...facts, cluster: aCluster({ updatePolicy: policy }) };

    expect(policyHold(cause, given)?.kind).toBe(held);
  });
});
