import { describe, expect, test } from 'vitest';
import type { Cluster, ClusterStatus, NewCluster } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { aRelease } from '../testing/releases.ts';
import { decideReset, isBeingWiped, shouldHaveNoNodes } from './reset.ts';

const NOW_MS = Date.parse('2026-06-01T12:00:00Z');
const NOW = '2026-06-01T12:00:00Z';
const REQUESTED_AT = '2026-06-01T11:59:00Z';
const RELEASES = [aRelease('1.50', {}, [0, 1]), aRelease('1.51', {}, [0])];
const RUNNING = { version: '1.50.0', desiredVersion: '1.50.0', endpoint: { host: '192.0.2.1', port: 6443 } };

function cluster(spec: NewCluster['spec'], status: ClusterStatus | undefined = RUNNING): Cluster {
  const newCluster = aCluster(spec, { name: 'demo', namespace: 'team' });
  return { ...newCluster, ...(status && { status }) };
}

const phaseOf = (spec: NewCluster['spec'], status?: ClusterStatus) =>
  decideReset(cluster(spec, status), RELEASES, NOW_MS).reset?.phase;

describe('a requested reset', () => {
  test.each([
    { field: 'requestedAt', reset: { requestedAt: REQUESTED_AT, confirm: 'demo' }, phase: 'RemovingNodes' },
    { field: 'confirm', reset: { requestedAt: NOW, confirm: 'demo' }, phase: 'RemovingNodes' },
    {
      field: 'nodes',
      reset: { requestedAt: REQUESTED_AT, confirm: 'demo', nodes: 'Reinstall' as const },
      phase: 'EmptyingControlPlane',
    },
  ])('reads $field of spec.reset', ({ reset, phase }) => {
    expect(phaseOf({ reset })).toBe(phase);
  });

  test.each([
    { reason: 'the current version', version: undefined, gets: '1.50.0' },
    { reason: 'the current patch of the requested minor version', version: '1.50', gets: '1.50.0' },
    { reason: 'a newer patch', version: '1.50.1', gets: '1.50.1' },
    { reason: 'another minor version', version: '1.51', gets: '1.51.0' },
    { reason: 'an unavailable version', version: '1.49', gets: undefined },
  ])('installs $gets if spec.version is $version: $reason', ({ version, gets }) => {
    const spec = { reset: { requestedAt: REQUESTED_AT, confirm: 'demo' }, ...(version && { version }) };
    const { reset, problem } = decideReset(cluster(spec), RELEASES, NOW_MS);

    expect(reset?.version).toBe(gets);
    expect(problem?.reason).toBe(gets === undefined ? 'VersionNotOffered' : undefined);
  });

  test('replaces a withdrawn version, even with a lower one', () => {
    const withdrawn = aRelease('1.51', { patches: [{ version: '1.51.0', withdrawn: true }] });
    const spec = { version: '1.50', reset: { requestedAt: REQUESTED_AT, confirm: 'demo' } };
    const status = { ...RUNNING, version: '1.51.0', desiredVersion: '1.51.0' };

    expect(decideReset(cluster(spec, status), [RELEASES[0] as never, withdrawn], NOW_MS).reset?.version).toBe('1.50.1');
  });

  test.each([
    { reason: 'was already processed', last: 'Complete', requestedAt: REQUESTED_AT, gets: 'Complete' },
    { reason: 'is earlier than the last one', last: 'Complete', requestedAt: '2026-06-01T11:58:00Z', gets: 'Complete' },
    { reason: 'is new, and no reset is in progress', last: 'Complete', requestedAt: NOW, gets: 'RemovingNodes' },
    {
      reason: 'is new, but the old cluster is still being removed',
      last: 'RemovingNodes',
      requestedAt: NOW,
      gets: 'RemovingNodes',
    },
    {
      reason: 'is new, but the old cluster is still being removed',
      last: 'EmptyingControlPlane',
      requestedAt: NOW,
      gets: 'EmptyingControlPlane',
    },
    {
      reason: 'is new, and the new control plane is stuck',
      last: 'Starting',
      requestedAt: NOW,
      gets: 'RemovingNodes',
    },
  ] as const)('changes the phase from $last to $gets: the request $reason', ({ last, requestedAt, gets }) => {
    const reset = {
      requestedAt: REQUESTED_AT,
      phase: last,
      since: REQUESTED_AT,
      nodes: 'Delete',
      emptiedTime: REQUESTED_AT,
    } as const;
    const decision = decideReset(
      cluster({ reset: { requestedAt, confirm: 'demo' } }, { ...RUNNING, reset }),
      RELEASES,
      NOW_MS,
    );

    expect(decision.reset).toMatchObject({ phase: gets, emptiedTime: REQUESTED_AT });
  });

  test('is recorded in a new cluster, but has no effect', () => {
    const spec = { reset: { requestedAt: REQUESTED_AT, confirm: 'other' } };

    expect(decideReset(cluster(spec, {}), RELEASES, NOW_MS)).toEqual({
      reset: { requestedAt: REQUESTED_AT, phase: 'Complete', since: NOW, nodes: 'Delete' },
      problem: undefined,
    });
  });

  test('waits for a restore, which would undo the reset', () => {
    const restore = { snapshot: '20261121-163000-000', requestedAt: REQUESTED_AT };
    const spec = { reset: { requestedAt: REQUESTED_AT, confirm: 'demo' }, etcd: { restore } };
    const etcd = { quotaBytes: 1, lastRestore: { ...restore, restoredAt: REQUESTED_AT } };

    expect(decideReset(cluster(spec), RELEASES, NOW_MS).problem?.reason).toBe('Restoring');
    expect(phaseOf(spec, { ...RUNNING, etcd })).toBe('RemovingNodes');
  });
});

test.each([
  { phase: 'RemovingNodes', nodes: 'Delete', isEmptied: true, hasNone: true },
  { phase: 'EmptyingControlPlane', nodes: 'Delete', isEmptied: true, hasNone: true },
  { phase: 'EmptyingControlPlane', nodes: 'Reinstall', isEmptied: true, hasNone: false },
  { phase: 'Starting', nodes: 'Delete', isEmptied: false, hasNone: false },
  { phase: 'Complete', nodes: 'Delete', isEmptied: false, hasNone: false },
] as const)(
  'in phase $phase with nodes $nodes, a cluster is being wiped: $isEmptied, should have no nodes: $hasNone',
  ({ phase, nodes, isEmptied, hasNone }) => {
    const status = { reset: { requestedAt: REQUESTED_AT, phase, since: NOW, nodes } };

    expect(isBeingWiped({ status })).toBe(isEmptied);
    expect(shouldHaveNoNodes({ status })).toBe(hasNone);
  },
);
