import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clusters, plans } from './resources.ts';
import { forgetStores, storeOf } from './stores.ts';

/** How many watches each connection was asked to carry. */
let carried: number[] = [];

beforeEach(() => {
  carried = [];
  vi.useFakeTimers();
  vi.stubGlobal('document', { visibilityState: 'hidden' });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal('fetch', (path: string, { body, signal }: RequestInit) => {
    if (path !== '/console/watches')
      return Promise.resolve(Response.json({ metadata: { resourceVersion: '1' }, items: [] }));
    carried.push((JSON.parse(body as string) as { watches: unknown[] }).watches.length);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
  });
});
afterEach(() => {
  forgetStores();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('shares a collection among all who show it, and for a while after the last', async () => {
  const { store, hold } = storeOf(plans, {});
  hold()();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(storeOf(plans, {}).store).toBe(store);

  await vi.advanceTimersByTimeAsync(2_000);
  expect(storeOf(plans, {}).store).not.toBe(store);
});

it('keeps what somebody shows who has signed in again, when what was shown before him ends', async () => {
  const leave = storeOf(plans, {}).hold();
  forgetStores();
  const { store, hold } = storeOf(plans, {});
  hold();
  leave();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(storeOf(plans, {}).store).toBe(store);
});

it('asks for no more watches than a connection carries, however many namespaces are looked through', async () => {
  const first = storeOf(plans, {});
  first.hold();
  for (let index = 0; index < 40; index++) {
    const leave = storeOf(clusters, { namespace: `team-${index}` }).hold();
    await vi.advanceTimersByTimeAsync(500);
    leave();
  }

  expect(Math.max(...carried)).toBe(16);
  expect(storeOf(plans, {}).store).toBe(first.store);
});
