import { describe, expect, test } from 'vitest';
import { aNodePool } from '../testing/objects.ts';
import { renewalLimits } from './renewal-limits.ts';

describe('how far a pool may be from its size', () => {
  test.each([
    { reason: 'numbers are what they are', size: 3, spec: { maxSurge: 2, maxUnavailable: 1 }, limits: [2, 1] },
    { reason: 'a surge is rounded up', size: 5, spec: { maxSurge: '25%', maxUnavailable: 0 }, limits: [2, 0] },
    { reason: 'a gap is rounded down', size: 7, spec: { maxSurge: 0, maxUnavailable: '25%' }, limits: [0, 1] },
    {
      reason: 'a gap of less than a node is none beside a surge',
      size: 3,
      spec: { maxSurge: 1, maxUnavailable: '25%' },
      limits: [1, 0],
    },
    {
      reason: 'without a surge one may be missing',
      size: 3,
      spec: { maxSurge: 0, maxUnavailable: '25%' },
      limits: [0, 1],
    },
    { reason: 'neither of an earlier release', size: 3, spec: { maxSurge: 0, maxUnavailable: 0 }, limits: [0, 1] },
    { reason: 'the whole pool', size: 40, spec: { maxSurge: '100%', maxUnavailable: '100%' }, limits: [40, 40] },
    { reason: 'no node, no surge', size: 0, spec: { maxSurge: '50%', maxUnavailable: '50%' }, limits: [0, 1] },
    { reason: 'exact shares stay exact', size: 100, spec: { maxSurge: '7%', maxUnavailable: '29%' }, limits: [7, 29] },
  ])('$reason', ({ size, spec, limits: [maxSurge, maxUnavailable] }) => {
    expect(renewalLimits(aNodePool({ upgradeStrategy: spec }), size)).toEqual({ maxSurge, maxUnavailable });
  });
});
