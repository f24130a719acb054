import type { Cluster } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { type BrowserStorage, forgetCreation, unfinishedOf } from './creation.ts';

const POOL = { metadata: { name: 'shop-general', namespace: 'p' } };

function storageOf(content: Readonly<Record<string, object>>): BrowserStorage {
  const kept = new Map(Object.entries(content).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

function cluster(attempt: string): Cluster {
  const annotations = { 'console.fairway.dev/attempt': attempt };
  return { metadata: { name: 'shop', namespace: 'p', annotations } } as unknown as Cluster;
}

test('the pools of a cluster are still to be made until they are forgotten', () => {
  const storage = storageOf({ 'fairway.creating p/shop': { attempt: 'a', pools: [POOL] } });
  const before = unfinishedOf(cluster('a'), storage);
  forgetCreation(cluster('a'), storage);

  expect(before).toEqual([POOL]);
  expect(unfinishedOf(cluster('a'), storage)).toEqual([]);
});

test('another cluster of the name gets none of them', () => {
  const storage = storageOf({ 'fairway.creating p/shop': { attempt: 'a', pools: [POOL] } });

  expect(unfinishedOf(cluster('b'), storage)).toEqual([]);
});
