import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { aPlan } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { isForNewClusters, versionRows, versionsForCluster } from './versions.ts';

const releases = SHIPPED_RELEASES.map((release) => ({
  ...release,
  status: { phase: 'Supported' as const, newest: `${release.spec.minor}.2`, available: [`${release.spec.minor}.2`] },
}));
const rows = versionRows(releases, Date.UTC(2026, 10, 22));
const names = rows.map(({ name }) => name);

test('lists the newest first, each with its upgrades', () => {
  expect(names).toEqual(names.toSorted((a, b) => Number(b.slice(2)) - Number(a.slice(2))));
  const [newest, before] = rows;
  expect(before?.upgradesTo).toEqual([newest?.name]);
  expect(newest?.upgradesTo).toEqual([]);
  expect(newest?.endOfLife).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test.each([
  { reason: 'the next minor version', status: { nextUpgradeVersions: [names[0] ?? ''] }, expected: [names[0]] },
  {
    reason: 'a newer patch of its own minor version',
    status: { availablePatch: `${names[1]}.2` },
    expected: [names[1]],
  },
  { reason: 'nothing newer', status: {}, expected: [] },
])('offers a cluster $reason', ({ status, expected }) => {
  expect(versionsForCluster(rows, { status }).map(({ name }) => name)).toEqual(expected);
});

describe('versions of a plan', () => {
  const [newest = '', before = ''] = names;
  const rowsOf = (enforcement: 'Refuse' | 'Warn') =>
    versionRows(
      releases,
      Date.UTC(2026, 10, 22),
      aPlan({
        kubernetes: { newest: before },
        limitNotes: [{ limit: 'kubernetes', value: '', enforcement, reason: 'not certified yet' }],
      }),
    );

  test('exclude those beyond its limit, with the note', () => {
    const limited = rowsOf('Refuse');

    expect(limited.filter(isForNewClusters).map(({ name }) => name)).toEqual(names.slice(1));
    expect(limited[0]).toMatchObject({ name: newest, allowed: false });
    expect(limited[0]?.limit).toBe(`is newer than ${before}, the newest version of plan "free". Not certified yet`);
    expect(limited[1]).toMatchObject({ name: before, allowed: true, upgradesTo: [] });
  });

  test('include those beyond a limit that only warns, with the note', () => {
    const [first] = rowsOf('Warn').filter(isForNewClusters);

    expect(first).toMatchObject({ name: newest, allowed: true, limit: expect.stringContaining('Not certified yet') });
  });
});
