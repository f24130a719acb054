import { describe, expect, test } from 'vitest';
import { GIB, isWithin, sizeFor } from './capacity.ts';

const range = (required: number, limit = 0) => ({ required_bytes: required, limit_bytes: limit });

describe('the size of a volume', () => {
  test.each([
    { asked: null, sizeGiB: 1, reason: 'no size is requested' },
    { asked: range(0), sizeGiB: 1, reason: 'zero means no request' },
    { asked: range(1), sizeGiB: 1, reason: 'rounded up' },
    { asked: range(GIB + 1), sizeGiB: 2, reason: 'rounded up' },
    { asked: range(3 * GIB, 3 * GIB), sizeGiB: 3, reason: 'exactly' },
    { asked: range(0, 5 * GIB), sizeGiB: 1, reason: 'a limit is not a request' },
  ])('is $sizeGiB GiB for $asked: $reason', ({ asked, sizeGiB }) => {
    expect(sizeFor(asked)).toBe(sizeGiB);
  });

  test.each([
    { asked: range(-1), reported: /negative/ },
    { asked: range(GIB + 1, GIB + 2), reported: /2 GiB exceeds limit_bytes/ },
    { asked: range(2 * GIB, GIB), reported: /exceeds limit_bytes/ },
    { asked: range(0, 1), reported: /exceeds limit_bytes 1/ },
    { asked: range(2 ** 31 * GIB), reported: /2147483648 GiB is not a valid volume size/ },
  ])('cannot satisfy $asked', ({ asked, reported }) => {
    expect(() => sizeFor(asked)).toThrow(reported);
  });

  test.each([
    { sizeGiB: 2, asked: range(2 * GIB), is: true },
    { sizeGiB: 3, asked: range(2 * GIB), is: true },
    { sizeGiB: 3, asked: range(2 * GIB, 2 * GIB), is: false },
    { sizeGiB: 1, asked: range(2 * GIB), is: false },
  ])('$sizeGiB GiB satisfies $asked: $is', ({ sizeGiB, asked, is }) => {
    expect(isWithin(sizeGiB, asked)).toBe(is);
  });
});
