import { expect, test } from 'vitest';
import { defaultFlavor, type Flavor, isAllowed } from './flavors.ts';

function flavor(name: string, vcpus: number, memoryGiB: number, diskGiB = 50): Flavor {
  return { name, id: `id-${name}`, vcpus, memoryMiB: memoryGiB * 1024, diskGiB };
}
const TINY = flavor('d2-2', 1, 2, 25);
const SMALL = flavor('b3-8', 2, 8);
const LARGE = flavor('b3-16', 4, 16);

test.each([
  { allowed: undefined, expected: 'b3-8', reason: 'a node needs room in addition to its system pods' },
  { allowed: { flavors: ['b3-16'] }, expected: 'b3-16', reason: 'the plan has no smaller flavor' },
  { allowed: { flavors: ['d2-*'] }, expected: 'd2-2', reason: 'a small flavor is better than none' },
  { allowed: { flavors: ['c3-*'] }, expected: undefined, reason: 'the cloud has no flavor of the plan' },
])('a first pool gets $expected: $reason', ({ allowed, expected }) => {
  expect(defaultFlavor([TINY, SMALL, LARGE], allowed)?.name).toBe(expected);
});

test.each([
  { pattern: 'b3-8', fits: true },
  { pattern: 'id-b3-8', fits: true },
  { pattern: 'b*8', fits: true },
  { pattern: '*3*', fits: true },
  { pattern: 'b3-8*8', fits: false },
  { pattern: 'b*9', fits: false },
  { pattern: 'B3-8', fits: false },
])('$pattern fits b3-8: $fits', ({ pattern, fits }) => {
  expect(isAllowed(SMALL, { flavors: [pattern] })).toBe(fits);
});
