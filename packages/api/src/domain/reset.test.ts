import { describe, expect, test } from 'vitest';
import type { Cluster, ClusterStatus, NewCluster } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { aRelease } from '../testing/releases.ts';
import { decideReset, isBeingEmptied, isWithoutNodes } from './reset.ts';

const NOW_MS = Date.parse('2026-06-01T12:00:00Z');
const NOW = '2026-06-01T12:00:00Z';
const ASKED = '2026-06-01T11:59:00Z';
const RELEASES = [aRelease('1.50', {}, [0, 1]), aRelease('1.51', {}, [0])];
const RUNNING = { version: '1.50.0', desiredVersion: '1.50.0', endpoint: { host: '192.0.2.1', port: 6443 } };

function cluster(spec: NewCluster['spec'], status: ClusterStatus | undefined = RUNNING): Cluster {
  const made = aCluster(spec, { name: 'demo', namespace: 'team' });
  return { ...made, ...(status && { status }) };
}

const phaseOf = (spec: NewCluster['spec'], status?: ClusterStatus) =>
  decideReset(cluster(spec, status), RELEASES, NOW_MS).reset?.phase;

describe('a reset that is asked for', () => {
  test.each([
    { field: 'requestedAt', reset: { requestedAt: ASKED, confirm: 'demo' }, phase: 'RemovingNodes' },
    { field: 'confirm', reset: { requestedAt: NOW, confirm: 'demo' }, phase: 'RemovingNodes' },
    {
      field: 'nodes',
      reset: { requestedAt: ASKED, confirm: 'demo', nodes: 'Reinstall' as const },
      phase: 'EmptyingControlPlane',
    },
  ])('reads $field of a cluster', ({ reset, phase }) => {
    expect(phaseOf({ reset })).toBe(phase);
  });

  test.each([
    { reason: 'the one that runs', version: undefined, gets: '1.50.0' },
    { reason: 'its minor version, of which it keeps the patch', version: '1.50', gets: '1.50.0' },
    { reason: 'a newer patch', version: '1.50.1', gets: '1.50.1' },
    { reason: 'another minor version', version: '1.51', gets: '1.51.0' },
    { reason: 'none that is offered', version: '1.49', gets: undefined },
  ])('begins with $gets where spec.version is $version: $reason', ({ version, gets }) => {
    const spec = { reset: { requestedAt: ASKED, confirm: 'demo' }, ...(version && { version }) };
    const { reset, problem } = decideReset(cluster(spec), RELEASES, NOW_MS);

    expect(reset?.version).toBe(gets);
    expect(problem?.reason).toBe(gets === undefined ? 'VersionNotOffered' : undefined);
  });

  test('leaves a version that is withdrawn, and a lower one is as good as any', () => {
    const withdrawn = aRelease('1.51', { patches: [{ version: '1.51.0', withdrawn: true }] });
    const spec = { version: '1.50', reset: { requestedAt: ASKED, confirm: 'demo' } };
    const status = { ...RUNNING, version: '1.51.0', desiredVersion: '1.51.0' };

    expect(decideReset(cluster(spec, status), [RELEASES[0] as never, withdrawn], NOW_MS).reset?.version).toBe('1.50.1');
  });

  test.each([
    { reason: 'was followed', last: 'Complete', requestedAt: ASKED, gets: 'Complete' },
    { reason: 'is one of before that', last: 'Complete', requestedAt: '2026-06-01T11:58:00Z', gets: 'Complete' },
    { reason: 'is another one, and nothing is under way', last: 'Complete', requestedAt: NOW, gets: 'RemovingNodes' },
    {
      reason: 'is another one, and the cluster of before is going',
      last: 'RemovingNodes',
      requestedAt: NOW,
      gets: 'RemovingNodes',
    },
    {
      reason: 'is another one, and the cluster of before is going',
      last: 'EmptyingControlPlane',
      requestedAt: NOW,
      gets: 'EmptyingControlPlane',
    },
    {
      reason: 'is another one, and the new one does not get on',
      last: 'Starting',
      requestedAt: NOW,
      gets: 'RemovingNodes',
    },
  ] as const)('leads from $last to $gets: it $reason', ({ last, requestedAt, gets }) => {
    const reset = { requestedAt: ASKED, phase: last, since: ASKED, nodes: 'Delete', emptiedTime: ASKED } as const;
    const decided = decideReset(
      cluster({ reset: { requestedAt, confirm: 'demo' } }, { ...RUNNING, reset }),
      RELEASES,
      NOW_MS,
    );

    expect(decided.reset).toMatchObject({ phase: gets, emptiedTime: ASKED });
  });

  test('of a cluster that never was is noted, and begins nothing', () => {
    const spec = { reset: { requestedAt: ASKED, confirm: 'other' } };

    expect(decideReset(cluster(spec, {}), RELEASES, NOW_MS)).toEqual({
      reset: { requestedAt: ASKED, phase: 'Complete', since: NOW, nodes: 'Delete' },
      problem: undefined,
    });
  });

  test('waits for a restore, which would undo it', () => {
    const restore = { snapshot: '20261121-163000-000', requestedAt: ASKED };
    const spec = { reset: { requestedAt: ASKED, confirm: 'demo' }, etcd: { restore } };
    const etcd = { quotaBytes: 1, lastRestore: { ...restore, restoredAt: ASKED } };

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
  'in $phase with $nodes: is being emptied $isEmptied, has no nodes $hasNone',
  ({ phase, nodes, isEmptied, hasNone }) => {
    const status = { reset: { requestedAt: ASKED, phase, since: NOW, nodes } };

    expect(isBeingEmptied({ status })).toBe(isEmptied);
    expect(isWithoutNodes({ status })).toBe(hasNone);
  },
);
