import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { ScriptedApi } from '../testing/scripted-api.ts';
import { CacheBudget, type CacheLimits, CacheOverflowError } from './cache-budget.ts';
import { Informer } from './informer.ts';
import { KubeClient } from './kube-client.ts';

interface Widget extends KubeObject {
  color?: string;
}

const widgets: ResourceType<Widget> = { group: '', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
const HOUR_MS = 3_600_000;

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function startInformer(
  api: ScriptedApi,
  limits: Partial<CacheLimits>,
  budget = new CacheBudget({ ...LARGE_LIMITS, ...limits }),
) {
  const clock = new FakeClock();
  const informer = new Informer(new KubeClient(api).resource(widgets), {
    clock,
    random: () => 0.5,
    pageSize: 10,
    budget,
  });
  const stop = new AbortController();
  stops.push(stop);
  informer.start(stop.signal);
  return { informer, clock, budget, stop, settle: () => clock.advance(0) };
}

const LARGE_LIMITS: CacheLimits = { maxObjects: 1_000, maxChars: 1_000_000 };

function apiWith(count: number, content: object = {}): ScriptedApi {
  const api = new ScriptedApi();
  for (let index = 0; index < count; index++) api.put(`w${index}`, content);
  return api;
}

describe('an informer with a budget', () => {
  test('caches objects within the budget', async () => {
    const { informer, settle } = startInformer(apiWith(20), { maxObjects: 20 });
    await settle();
    expect([informer.hasSynced, informer.size]).toEqual([true, 20]);
  });

  test.each<[string, Partial<CacheLimits>, object]>([
    ['objects', { maxObjects: 25 }, {}],
    ['characters', { maxChars: 50_000 }, { color: 'x'.repeat(2_000) }],
  ])('stops reading a list once it exceeds the limit on %s, and relists rarely', async (_, limits, content) => {
    const api = apiWith(1_000, content);
    const { informer, clock, settle } = startInformer(api, limits);
    await settle();

    expect(informer.hasSynced).toBe(false);
    expect(informer.lastError).toBeInstanceOf(CacheOverflowError);
    expect(api.requests).toHaveLength(3);
    await clock.advance(HOUR_MS);
    // Each relist reads three pages; relists are 2.5 minutes apart on average.
    expect(api.requests.length).toBeLessThanOrEqual(3 * 26);
  });

  test('keeps its cache while the server’s objects exceed the budget, and resumes when they fit', async () => {
    const api = apiWith(20);
    const { informer, clock, settle } = startInformer(api, { maxObjects: 22 });
    await settle();
    for (let index = 0; index < 5; index++) api.put(`more${index}`);
    await settle();

    expect(informer.lastError).toBeInstanceOf(CacheOverflowError);
    expect(informer.size).toBe(22);

    for (let index = 0; index < 5; index++) api.remove(`w${index}`);
    await clock.advance(HOUR_MS);
    expect([informer.lastError, informer.size]).toEqual([undefined, 20]);
  });

  test('requests smaller pages if objects are large', async () => {
    const api = apiWith(20, { color: 'x'.repeat(4_000_000) });
    const { informer, clock } = startInformer(api, { maxChars: 100_000_000 });
    await clock.advance(1_000);

    expect([informer.lastError, informer.size]).toEqual([undefined, 20]);
    const limits = api.requests.map(({ path }) => new URL(path, 'http://api').searchParams.get('limit'));
    // Forty million characters must not be parsed synchronously.
    expect(limits.slice(0, 21)).toEqual(['10', ...Array<string>(20).fill('1')]);
  });

  test('counts each object at its current size', async () => {
    const api = apiWith(1);
    const { informer, settle } = startInformer(api, { maxChars: 3_000 });
    await settle();
    for (let round = 0; round < 10; round++) api.put('w0', { color: 'x'.repeat(2_000) });
    api.remove('w0');
    for (let round = 0; round < 10; round++) {
      api.put('w1', { color: 'y'.repeat(2_000) });
      api.remove('w1');
    }
    await settle();
    expect([informer.lastError, informer.size]).toEqual([undefined, 0]);
  });

  test('leaves room for other informers, however large its objects are', async () => {
    const budget = new CacheBudget({ ...LARGE_LIMITS, maxChars: 50_000, maxCharsPerInformer: 25_000 });
    const one = startInformer(apiWith(100, { color: 'x'.repeat(2_000) }), {}, budget);
    await one.settle();
    expect(one.informer.lastError).toBeInstanceOf(CacheOverflowError);
    const other = startInformer(apiWith(10, { color: 'x'.repeat(2_000) }), {}, budget);
    await other.settle();
    expect(other.informer.size).toBe(10);
  });

  test('shares the budget with informers for the same server, and returns its share', async () => {
    const budget = new CacheBudget({ ...LARGE_LIMITS, maxObjects: 30 });
    const one = startInformer(apiWith(20), {}, budget);
    await one.settle();
    const other = startInformer(apiWith(20), {}, budget);
    await other.settle();
    expect(other.informer.lastError).toBeInstanceOf(CacheOverflowError);

    one.stop.abort();
    await one.settle();
    await one.informer.stopped;
    await other.clock.advance(HOUR_MS);
    expect([other.informer.hasSynced, other.informer.size]).toEqual([true, 20]);
  });
});
