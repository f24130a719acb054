import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { expect, test } from 'vitest';
import { versionRows, versionsForCluster } from './versions.ts';

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
