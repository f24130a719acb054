import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { aPlan } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { allowedVersions, plansThatAllow } from './offered-names.ts';

const NOW_MS = Date.UTC(2026, 10, 30);
const LIMITED = aPlan({ kubernetes: { newest: '1.35' } }, { name: 'limited' });
const WARNING = aPlan(
  { kubernetes: { newest: '1.35' }, limitNotes: [{ limit: 'kubernetes', value: '', enforcement: 'Warn' }] },
  { name: 'warning' },
);

describe('allowedVersions', () => {
  test('excludes versions above the newest of the plan', () => {
    const names = allowedVersions(LIMITED, SHIPPED_RELEASES, NOW_MS);

    expect(names).toContain('1.35');
    expect(names).not.toContain('1.36');
  });

  test.each([
    { reason: 'a plan that only warns', plan: WARNING },
    { reason: 'an unknown plan', plan: undefined },
  ])('includes all supported versions for $reason', ({ plan }) => {
    expect(allowedVersions(plan, SHIPPED_RELEASES, NOW_MS)).toEqual(['1.35', '1.36']);
  });
});

test.each([
  { version: '1.35', names: ['limited', 'warning'] },
  { version: '1.36', names: ['warning'] },
  { version: '1.36.3', names: ['warning'] },
  { version: '1', names: ['limited', 'warning'], reason: 'it is incomplete' },
  { version: 'x', names: ['limited', 'warning'], reason: 'it is not a version' },
])('plans with version $version: $names', ({ version, names }) => {
  expect(plansThatAllow(version, [LIMITED, WARNING], SHIPPED_RELEASES, NOW_MS)).toEqual(names);
});
