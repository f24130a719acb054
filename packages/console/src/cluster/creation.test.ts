import type { Cluster } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { abandonCreation, type BrowserStorage, unfinishedPools } from './creation.ts';

const POOL = { metadata: { name: 'shop-general', namespace: 'p' } };

function storageOf(content: Readonly<Record<string, object>>): BrowserStorage {
  const stored = new Map(Object.entries(content).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  };
}

function cluster(attempt: string): Cluster {
  const annotations = { 'console.fairway.dev/attempt': attempt };
  return { metadata: { name: 'shop', namespace: 'p', annotations } } as unknown as Cluster;
}

test('lists the pools to create until they are created or abandoned', () => {
  const storage = storageOf({ 'fairway.creating p/shop': { attempt: 'a', pools: [POOL] } });
  const before = unfinishedPools(cluster('a'), storage);
  abandonCreation(cluster('a'), storage);

  expect(before).toEqual([POOL]);
  expect(unfinishedPools(cluster('a'), storage)).toEqual([]);
});

test('does not create pools for another cluster with the same name', () => {
  const storage = storageOf({ 'fairway.creating p/shop': { attempt: 'a', pools: [POOL] } });

  expect(unfinishedPools(cluster('b'), storage)).toEqual([]);
});
