import { describe, expect, test } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { aRelease } from '../testing/releases.ts';
import { nextPhaseChangeMs, phaseOf } from './release-phase.ts';

const dated = aRelease('1.34', { released: '2025-08-27', maintenanceMode: '2026-08-27', endOfLife: '2026-10-27' });
const at = (time: string) => Date.parse(time);

test.each([
  { now: '2025-08-26T23:59:59Z', phase: 'Preview', next: '2025-08-27' },
  { now: '2025-08-27T00:00:00Z', phase: 'Supported', next: '2026-08-27' },
  { now: '2026-08-27T00:00:00Z', phase: 'Deprecated', next: '2026-10-27' },
  { now: '2026-10-26T23:59:59Z', phase: 'Deprecated', next: '2026-10-27' },
  { now: '2026-10-27T00:00:00Z', phase: 'EndOfLife', next: undefined },
])('a release is $phase at $now, until $next', ({ now, phase, next }) => {
  expect(phaseOf(dated, at(now))).toBe(phase);
  expect(nextPhaseChangeMs(dated, at(now))).toBe(next && at(next));
});

test('the phase follows an override regardless of the date', () => {
  const kept = aRelease('1.34', { ...dated.spec, phaseOverride: 'Supported' });

  expect(phaseOf(kept, at('2030-01-01'))).toBe('Supported');
  expect(nextPhaseChangeMs(kept, at('2020-01-01'))).toBeUndefined();
});

test('a release without dates is supported', () => {
  expect(phaseOf(aRelease('1.34'), at('2030-01-01'))).toBe('Supported');
});

describe('the phases of the shipped releases', () => {
  const phases = (now: string) =>
    Object.fromEntries(SHIPPED_RELEASES.map((one: KubernetesRelease) => [one.spec.minor, phaseOf(one, at(now))]));

  test.each([
    { now: '2026-08-21', ended: ['1.31', '1.32', '1.33'], deprecated: [], supported: ['1.34', '1.35', '1.36'] },
    { now: '2026-11-22', ended: ['1.31', '1.32', '1.33', '1.34'], deprecated: [], supported: ['1.35', '1.36'] },
    { now: '2026-12-31', ended: ['1.31', '1.32', '1.33', '1.34'], deprecated: ['1.35'], supported: ['1.36'] },
  ])('on $now: ended $ended, deprecated $deprecated, supported $supported', ({ now, ...expected }) => {
    const found = phases(now);
    const of = (phase: string) => Object.keys(found).filter((minor) => found[minor] === phase);

    expect({ ended: of('EndOfLife'), deprecated: of('Deprecated'), supported: of('Supported') }).toEqual(expected);
  });
});
