import { expect, test } from 'vitest';
import type { RemoteGroupVersion } from './aggregator.ts';
import { withRemoteGroups } from './group-order.ts';

const LOCAL = new Map(
  Object.entries({
    '': ['v1'],
    batch: ['v1'],
    apps: ['v1'],
    'b.example.com': ['v1', 'v1beta1'],
  }).map(([group, versions]) => [group, new Map(versions.map((version) => [version, [`${group}/${version}`]]))]),
);

function remote(group: string, version: string, groupPriority: number, versionPriority = 100): RemoteGroupVersion {
  const api = { group, version, groupPriority, versionPriority } as RemoteGroupVersion['api'];
  return { api, resources: [], openApiHash: undefined, isStale: false };
}

function order(...others: readonly RemoteGroupVersion[]): string[] {
  return [...withRemoteGroups(LOCAL, others)].map(([group, versions]) => `${group} ${[...versions.keys()].join()}`);
}

test.each([
  {
    reason: 'groups without remote APIs stay unchanged',
    others: [],
    order: [' v1', 'batch v1', 'apps v1', 'b.example.com v1,v1beta1'],
  },
  {
    reason: 'a high priority comes first, but never before the core group',
    others: [remote('z.example.com', 'v1', 17_900)],
    order: [' v1', 'z.example.com v1', 'apps v1', 'batch v1', 'b.example.com v1,v1beta1'],
  },
  {
    reason: 'a low priority comes last',
    others: [remote('a.example.com', 'v1', 100)],
    order: [' v1', 'apps v1', 'batch v1', 'b.example.com v1,v1beta1', 'a.example.com v1'],
  },
  {
    reason: 'equal priorities are sorted by name, and CustomResourceDefinitions have priority 1000',
    others: [remote('c.example.com', 'v1', 1000), remote('a.example.com', 'v1', 1000)],
    order: [' v1', 'apps v1', 'batch v1', 'a.example.com v1', 'b.example.com v1,v1beta1', 'c.example.com v1'],
  },
  {
    reason: 'the highest priority of a group counts, and versions have their own',
    others: [
      remote('a.example.com', 'v1', 100, 10),
      remote('a.example.com', 'v2alpha1', 2000, 20),
      remote('a.example.com', 'v1beta1', 100, 10),
    ],
    order: [' v1', 'apps v1', 'batch v1', 'a.example.com v2alpha1,v1,v1beta1', 'b.example.com v1,v1beta1'],
  },
  {
    reason: 'a group with local and remote versions',
    others: [remote('b.example.com', 'v2', 1000, 101)],
    order: [' v1', 'apps v1', 'batch v1', 'b.example.com v2,v1,v1beta1'],
  },
])('$reason', ({ others, order: expected }) => {
  expect(order(...others)).toEqual(expected);
});

test('looks up each of many groups only a few times', () => {
  let lookups = 0;
  const others = Array.from({ length: 1000 }, (_, index) => {
    const { api, ...rest } = remote(`g${index}.example.com`, 'v1', 1000);
    const counted = Object.defineProperty({ ...api }, 'group', {
      get() {
        lookups++;
        return `g${index}.example.com`;
      },
    });
    return { ...rest, api: counted };
  });

  expect(order(...others).length).toBe(1000 + LOCAL.size);
  expect(lookups).toBeLessThan(10_000);
});
