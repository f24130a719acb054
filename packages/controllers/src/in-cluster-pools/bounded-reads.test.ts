import { once } from 'node:events';
import { FakeClock } from '@fairway/base/clock-fake';
import type { ListOptions, ResourceClient, WatchEvent, WatchOptions } from '@fairway/kube/client/resource-client';
import type { KubeList, KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { BoundedReads } from './bounded-reads.ts';

const BOUNDS = {
  maxObjects: 25,
  maxListChars: 100_000,
  pageSize: 10,
  burst: 4,
  perSecond: 2,
  charsPerEvent: 1_000_000,
  overflowMs: 300_000,
};

function object(index: number, chars = 0): KubeObject {
  return { metadata: { name: `p${index}`, annotations: { much: 'x'.repeat(chars) } } };
}

/** A server with this many objects of this size, and these events. */
class FakeServer {
  readonly pages: number[] = [];
  isOpen = false;
  readonly #count: number;
  readonly #chars: number;
  readonly #events: readonly WatchEvent<KubeObject>[];

  constructor(count: number, chars = 0, events: readonly WatchEvent<KubeObject>[] = []) {
    this.#count = count;
    this.#chars = chars;
    this.#events = events;
  }

  list({ limit = 500, continue: token = '0' }: ListOptions = {}): Promise<KubeList<KubeObject>> {
    const from = Number(token);
    const to = Math.min(from + limit, this.#count);
    this.pages.push(to - from);
    const items = Array.from({ length: to - from }, (_, index) => object(from + index, this.#chars));
    return Promise.resolve({
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: '1', ...(to < this.#count && { continue: String(to) }) },
      items,
    });
  }

  /** A watch that stays open after its last event. */
  async *watch({ signal }: WatchOptions = {}): AsyncGenerator<WatchEvent<KubeObject>> {
    this.isOpen = true;
    for (const event of this.#events) {
      if (signal?.aborted) break;
      yield event;
    }
    if (signal && !signal.aborted) await once(signal, 'abort');
    this.isOpen = false;
  }
}

function readsOf(server: FakeServer, clock = new FakeClock(), bounds = BOUNDS): BoundedReads<KubeObject> {
  const client = server as unknown as ResourceClient<KubeObject>;
  return new BoundedReads(client, { bounds, isOfInterest: (name) => name === 'p9999', clock });
}

async function listAll(reads: BoundedReads<KubeObject>): Promise<number> {
  let count = 0;
  let token: string | undefined;
  do {
    const page = await reads.asClient().list(token === undefined ? {} : { continue: token });
    count += page.items.length;
    token = page.metadata.continue;
  } while (token !== undefined);
  return count;
}

describe('a flood of objects', () => {
  test.each([
    { count: 3, chars: 0, read: 3, pages: [3], isOverflowing: false, reason: 'typical for clusters' },
    { count: 25, chars: 0, read: 25, pages: [10, 10, 5], isOverflowing: false, reason: 'the maximum' },
    { count: 10_000, chars: 0, read: 25, pages: [10, 10, 5], isOverflowing: true, reason: 'many' },
    { count: 20, chars: 20_000, read: 10, pages: [10], isOverflowing: true, reason: 'large objects' },
  ])('reads $read of $count objects with $chars characters: $reason', async ({ count, chars, ...then }) => {
    const server = new FakeServer(count, chars);
    const reads = readsOf(server, new FakeClock(), { ...BOUNDS, burst: 1_000 });

    const read = await listAll(reads);

    expect({ read, pages: server.pages, isOverflowing: reads.isOverflowing }).toMatchObject({
      read: then.read,
      pages: then.pages,
      isOverflowing: then.isOverflowing,
    });
  });

  test('watches the objects read and the objects of interest, and lists the rest after five minutes', async () => {
    const changed = [0, 24, 25, 9_999].map((index) => ({ type: 'MODIFIED' as const, object: object(index) }));
    const server = new FakeServer(10_000, 0, changed);
    const clock = new FakeClock();
    const reads = readsOf(server, clock, { ...BOUNDS, burst: 1_000 });
    await listAll(reads);

    const { taken, outcome } = watched(reads);
    await clock.advance(BOUNDS.overflowMs - 1);
    const before = server.isOpen;
    await clock.advance(1);

    expect(taken).toEqual(['p0', 'p24', 'p9999']);
    expect(before).toBe(true);
    expect(await outcome).toMatchObject({ code: 410 });
  });

  test('accepts no more objects than the limit during a watch', async () => {
    const added = Array.from({ length: 100 }, (_, index) => ({ type: 'ADDED' as const, object: object(index) }));
    const clock = new FakeClock();
    const reads = readsOf(new FakeServer(0, 0, added), clock);
    await listAll(reads);

    const { taken, outcome } = watched(reads);
    await clock.advance(60_000);

    expect(await outcome).toMatchObject({ code: 410 });
    expect(taken).toHaveLength(BOUNDS.maxObjects);
    expect(reads.isOverflowing).toBe(true);
  });

  test.each([
    { chars: 0, after: 24, reason: 'four immediately, and two a second' },
    { chars: 4_000, after: 5, reason: 'large events count as several' },
  ])('handles $after events in ten seconds: $reason', async ({ chars, after }) => {
    const events = Array.from({ length: 500 }, () => ({ type: 'MODIFIED' as const, object: object(1, chars) }));
    const clock = new FakeClock();
    const reads = readsOf(new FakeServer(0, 0, events), clock, { ...BOUNDS, charsPerEvent: 1_000 });
    await listAll(reads);

    const { taken, stop, outcome } = watched(reads);
    for (let second = 0; second < 10; second++) await clock.advance(1_000);
    const receivedCount = taken.length;
    stop.abort();
    await outcome;

    expect(receivedCount).toBeGreaterThanOrEqual(after - 1);
    expect(receivedCount).toBeLessThanOrEqual(after + 1);
  });

  test('also delays the next page if several are large', async () => {
    const clock = new FakeClock();
    const reads = readsOf(new FakeServer(20, 4_000), clock, { ...BOUNDS, charsPerEvent: 1_000 });
    const listed = listAll(reads);

    await clock.advance(15_000);
    const early = await Promise.race([listed, Promise.resolve('not yet')]);
    await clock.advance(10_000);

    expect(early).toBe('not yet');
    expect(await listed).toBe(20);
  });
});

function watched(reads: BoundedReads<KubeObject>) {
  const received: string[] = [];
  const stop = new AbortController();
  const outcome = (async () => {
    for await (const { object: each } of reads.asClient().watch({ signal: stop.signal }))
      received.push(each.metadata.name ?? '');
  })().catch((error: unknown) => error);
  return { taken: received, stop, outcome };
}

describe('a tenant’s own API server that serves the kind instead of the definition', () => {
  /** Returns these items for each list, regardless of the request. */
  const respondWith = (items: unknown) => {
    const server = new FakeServer(0);
    server.list = () => {
      server.pages.push(1);
      return Promise.resolve({ apiVersion: 'v1', kind: 'List', metadata: {}, items } as KubeList<KubeObject>);
    };
    return server;
  };

  test('is limited to the same number of objects', async () => {
    const reads = readsOf(respondWith(Array.from({ length: 1_000 }, (_, index) => object(index))));

    expect((await reads.asClient().list()).items).toHaveLength(BOUNDS.maxObjects);
    expect(reads.isOverflowing).toBe(true);
  });

  test.each<[string, unknown]>([
    ['invalid objects', [null, 1, 'x', {}, { metadata: {} }, { metadata: { name: 5 } }]],
    ['something that is not a list', { length: 5 }],
  ])('yields no objects for %s', async (_what, items) => {
    expect((await readsOf(respondWith(items)).asClient().list()).items).toEqual([]);
  });

  test('has its whole response deducted from its budget', async () => {
    const clock = new FakeClock();
    const server = respondWith([null, 'x'.repeat(20 * BOUNDS.charsPerEvent)]);
    const reads = readsOf(server, clock).asClient();
    await reads.list();
    void reads.list();

    await clock.advance(5_000);
    expect(server.pages).toHaveLength(1);
    await clock.advance(5_000);
    expect(server.pages).toHaveLength(2);
  });
});
