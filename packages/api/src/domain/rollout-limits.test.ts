import { describe, expect, test } from 'vitest';
import { aNodePool } from '../testing/objects.ts';
import { rolloutLimits } from './rollout-limits.ts';

describe("a pool's rollout limits", () => {
  test.each([
    { reason: 'keep absolute numbers', size: 3, spec: { maxSurge: 2, maxUnavailable: 1 }, limits: [2, 1] },
    { reason: 'round a surge percentage up', size: 5, spec: { maxSurge: '25%', maxUnavailable: 0 }, limits: [2, 0] },
    {
      reason: 'round an unavailable percentage down',
      size: 7,
      spec: { maxSurge: 0, maxUnavailable: '25%' },
      limits: [0, 1],
    },
    {
      reason: 'allow no unavailable node if the percentage is below one node and there is a surge',
      size: 3,
      spec: { maxSurge: 1, maxUnavailable: '25%' },
      limits: [1, 0],
    },
    {
      reason: 'allow one unavailable node without a surge',
      size: 3,
      spec: { maxSurge: 0, maxUnavailable: '25%' },
      limits: [0, 1],
    },
    {
      reason: 'allow one unavailable node if a pool of an earlier release has neither',
      size: 3,
      spec: { maxSurge: 0, maxUnavailable: 0 },
      limits: [0, 1],
    },
    {
      reason: 'cover the whole pool at 100%',
      size: 40,
      spec: { maxSurge: '100%', maxUnavailable: '100%' },
      limits: [40, 40],
    },
    {
      reason: 'allow no surge in an empty pool',
      size: 0,
      spec: { maxSurge: '50%', maxUnavailable: '50%' },
      limits: [0, 1],
    },
    {
      reason: 'need no rounding if percentages give whole numbers',
      size: 100,
      spec: { maxSurge: '7%', maxUnavailable: '29%' },
      limits: [7, 29],
    },
  ])('$reason', ({ size, spec, limits: [maxSurge, maxUnavailable] }) => {
    expect(rolloutLimits(aNodePool({ upgradeStrategy: spec }), size)).toEqual({ maxSurge, maxUnavailable });
  });
});
