import { describe, expect, it } from 'vitest';
import { allocateSeats, boundsOf } from './seat-shares.ts';
import { MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';

describe('seats of a priority level', () => {
  it('have a nominal share, a minimum that is not lent, and a maximum', () => {
    const levels = [...MANDATORY_OBJECTS.priorityLevels, ...SUGGESTED_OBJECTS.priorityLevels];
    const bounds = boundsOf(600, levels);
    const named = Object.fromEntries(levels.map(({ metadata }, index) => [metadata.name, bounds[index]]));

    // The values of kube-apiserver with its default limits.
    expect(named).toEqual({
      exempt: { nominal: 0, min: 0, max: 600 },
      'catch-all': { nominal: 13, min: 13, max: 613 },
      system: { nominal: 74, min: 50, max: 674 },
      'node-high': { nominal: 98, min: 73, max: 698 },
      'leader-election': { nominal: 25, min: 25, max: 625 },
      'workload-high': { nominal: 98, min: 49, max: 698 },
      'workload-low': { nominal: 245, min: 24, max: 845 },
      'global-default': { nominal: 49, min: 24, max: 649 },
    });
  });

  it('respect a borrowing limit, and are zero without shares', () => {
    const limitResponse = { type: 'Reject' };
    const [some, none] = boundsOf(100, [
      {
        metadata: {},
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 50, limitResponse } },
      },
      {
        metadata: {},
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 50, limitResponse } },
      },
    ]);

    expect([some, none]).toEqual([
      { nominal: 100, min: 100, max: 150 },
      { nominal: 0, min: 0, max: 0 },
    ]);
  });

  it.each([
    { reason: 'proportional to demand', targets: [10, 30], total: 80, is: [20, 60] },
    { reason: 'no demand', targets: [0, 0], total: 40, is: [20, 20] },
    { reason: 'the minimum comes first', targets: [0, 100], min: [10, 0], total: 60, is: [10, 50] },
    { reason: 'no claim exceeds its maximum', targets: [100, 10], max: [20, 100], total: 60, is: [20, 40] },
    { reason: 'more seats than the sum of the maximums', targets: [1, 1], max: [10, 10], total: 60, is: [10, 10] },
  ])('are divided: $reason', ({ targets, min = [], max = [], total, is }) => {
    const claims = targets.map((target, index) => ({ target, min: min[index] ?? 0, max: max[index] ?? 1000 }));

    expect(allocateSeats(total, claims).map(Math.round)).toEqual(is);
  });
});
