import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clusters, plans } from './resources.ts';
import { clearStores, storeOf } from './stores.ts';

/** The number of watches in each request for a connection. */
let watchCounts: number[] = [];

beforeEach(() => {
  watchCounts = [];
  vi.useFakeTimers();
  vi.stubGlobal('document', { visibilityState: 'hidden' });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal('fetch', (path: string, { body, signal }: RequestInit) => {
    if (path !== '/console/watches')
      return Promise.resolve(Response.json({ metadata: { resourceVersion: '1' }, items: [] }));
    watchCounts.push((JSON.parse(body as string) as { watches: unknown[] }).watches.length);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
  });
});
afterEach(() => {
  clearStores();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('shares a collection among its users, and keeps it for a while after the last one', async () => {
  const { store, acquire } = storeOf(plans, {});
  acquire()();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(storeOf(plans, {}).store).toBe(store);

  await vi.advanceTimersByTimeAsync(2_000);
  expect(storeOf(plans, {}).store).not.toBe(store);
});

it('keeps the data of a new session when the views of the previous one close', async () => {
  const leave = storeOf(plans, {}).acquire();
  clearStores();
  const { store, acquire } = storeOf(plans, {});
  acquire();
  leave();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(storeOf(plans, {}).store).toBe(store);
});

it('opens no more watches than a connection carries, however many namespaces the user browses', async () => {
  const first = storeOf(plans, {});
  first.acquire();
  for (let index = 0; index < 40; index++) {
    const leave = storeOf(clusters, { namespace: `team-${index}` }).acquire();
    await vi.advanceTimersByTimeAsync(500);
    leave();
  }

  expect(Math.max(...watchCounts)).toBe(16);
  expect(storeOf(plans, {}).store).toBe(first.store);
});
