import { describe, expect, test } from 'vitest';
import { gibOf } from './volume-size.ts';

describe('the size of a volume', () => {
  test.each([
    { of: undefined, gib: 1, reason: 'Cinder’s minimum' },
    { of: '0', gib: 1, reason: 'Cinder’s minimum' },
    { of: '1', gib: 1, reason: 'rounded up' },
    { of: '10Gi', gib: 10, reason: 'exactly the requested size' },
    { of: '10G', gib: 10, reason: '9.3 GiB, rounded up' },
    { of: '10241Mi', gib: 11, reason: 'rounded up' },
    { of: '2147483647Gi', gib: 2_147_483_647, reason: 'Cinder’s maximum' },
    { of: '3Ei', gib: undefined, reason: 'too large' },
    { of: '-1Gi', gib: undefined, reason: 'negative' },
    { of: 'much', gib: undefined, reason: 'not a quantity' },
  ])('converts $of to $gib GiB: $reason', ({ of, gib }) => {
    expect(gibOf(of)).toBe(gib);
  });
});
