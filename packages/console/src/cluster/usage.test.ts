import { expect, test } from 'vitest';
import { maxNodesFor, usageOf, withoutPools } from './usage.ts';

const SMALL = { name: 'b3-8', id: 'f-1', vcpus: 2, memoryMiB: 8192, diskGiB: 50 };
const LARGE = { name: 'b3-32', id: 'f-2', vcpus: 8, memoryMiB: 32_768, diskGiB: 50 };
const PROFILE = {
  flavors: [SMALL, LARGE],
  quotas: [
    { name: 'instances', limit: 20, used: 5 },
    { name: 'cores', limit: 40, used: 32 },
    { name: 'memoryMiB', limit: -1, used: 100 },
    { name: 'floatingIPs', limit: 2, used: 3 },
  ],
};

test('pools use nodes, cores and memory of the project’s quotas', () => {
  const pools = [
    { flavor: 'b3-8', nodes: 3 },
    { flavor: 'f-2', nodes: 1 },
  ];

  expect(usageOf(pools, PROFILE)).toEqual([
    { what: 'instances', needed: 4, left: 15, limit: 20 },
    { what: 'cores', needed: 14, left: 8, limit: 40 },
    { what: 'memoryMiB', needed: 57_344, left: undefined, limit: undefined },
  ]);
});

test('floating IPs count only for pools whose nodes have them, and the remainder is never negative', () => {
  const [, , , floating] = usageOf([{ flavor: 'b3-8', nodes: 2, hasFloatingIPs: true }], PROFILE);

  expect(floating).toEqual({ what: 'floatingIPs', needed: 2, left: 0, limit: 2 });
});

test('a quota has room for as many nodes as its scarcest resource allows', () => {
  expect(maxNodesFor(SMALL, PROFILE)).toBe(4);
  expect(maxNodesFor(LARGE, PROFILE)).toBe(1);
  expect(maxNodesFor(LARGE, {})).toBeUndefined();
});

test('the current usage of a pool is not counted again when it is changed', () => {
  const profile = withoutPools(PROFILE, [{ flavor: 'b3-8', nodes: 3 }]);

  expect(usageOf([{ flavor: 'b3-8', nodes: 4 }], profile)).toMatchObject([
    { what: 'instances', needed: 4, left: 18 },
    { what: 'cores', needed: 8, left: 14 },
    { what: 'memoryMiB', needed: 32_768 },
  ]);
});
