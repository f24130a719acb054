import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aNodePool } from '../testing/objects.ts';
import { grantedReplicas, sumOfReplicas } from './plan-limits.ts';

function pool(name: string, replicas: number, second = 0, metadata: object = {}) {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return aNodePool({ replicas }, { name, uid: name, creationTimestamp, ...metadata });
}

describe('grantedReplicas', () => {
  it.each<[string, ReturnType<typeof pool>[], number[]]>([
    ['cover every pool within the limit', [pool('a', 3), pool('b', 7)], [3, 7]],
    ['go to the oldest pools first', [pool('a', 6, 2), pool('b', 6, 1)], [4, 6]],
    ['go by name to pools created in the same second', [pool('b', 6), pool('a', 6)], [4, 6]],
    ['leave nothing for the last pools', [pool('a', 10, 1), pool('b', 5, 2), pool('c', 5, 3)], [10, 0, 0]],
    ['are fewer than a single pool requests', [pool('a', 999)], [10]],
    ['exclude those of a pool that is still being deleted', [deletingPool('a', 8, 6), pool('b', 9, 5)], [8, 4]],
  ])('grants nodes that %s', (_, pools, granted) => {
    expect(pools.map((one) => grantedReplicas(one, pools, 10))).toEqual(granted);
  });

  it('never grants more than maxNodes in total, or more than a pool requests', () => {
    const pools = fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 3 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(pools, fc.integer({ min: 0, max: 500 }), (poolSizes, maxNodes) => {
        const all = poolSizes.map(([replicas, second], index) => pool(`p${index}`, replicas, second));
        const granted = all.map((one) => grantedReplicas(one, all, maxNodes));
        const total = granted.reduce((sum, one) => sum + one, 0);
        expect(total).toBe(Math.min(maxNodes, sumOfReplicas(all)));
        for (const [index, one] of granted.entries()) expect(one).toBeLessThanOrEqual(all[index]?.spec.replicas ?? 0);
      }),
    );
  });
});

function deletingPool(name: string, replicas: number, left: number) {
  const one = pool(name, replicas, 0, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  return { ...one, status: { replicas: left } } as ReturnType<typeof pool>;
}
