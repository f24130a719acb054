import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import { OpenStackError } from '../http/openstack-error.ts';
import type { PollIntervals } from './poll-schedule.ts';
import { type ListCall, ResourceCache } from './resource-cache.ts';
import type { Delta } from './snapshot.ts';

interface Item {
  readonly id: string;
  readonly status: string;
}

/** A cloud whose lists take `latencyMs`, return the state at their start, and may fail. */
function start({
  latencyMs = 0,
  isBudgetExhausted = false,
  intervals = {},
}: {
  readonly latencyMs?: number;
  readonly isBudgetExhausted?: boolean;
  readonly intervals?: Partial<PollIntervals>;
} = {}) {
  const clock = new FakeClock();
  const startMs = clock.now();
  const cloud = {
    things: [] as Item[],
    failure: undefined as Error | undefined,
    /** When each list began, in milliseconds from the start of the test. */
    lists: [] as number[],
    priorities: [] as string[],
    underWay: 0,
    mostUnderWay: 0,
  };
  const cache = new ResourceCache<Item>({
    name: 'things',
    clock,
    random: () => 0.5,
    intervals,
    isBudgetExhausted: () => isBudgetExhausted,
    async *list({ signal, priority }: ListCall) {
      cloud.lists.push(clock.now() - startMs);
      cloud.priorities.push(priority);
      cloud.underWay += 1;
      cloud.mostUnderWay = Math.max(cloud.mostUnderWay, cloud.underWay);
      const { things, failure } = cloud;
      try {
        if (latencyMs > 0) await clock.sleep(latencyMs, signal);
        if (failure !== undefined) throw failure;
        yield* things;
      } finally {
        cloud.underWay -= 1;
      }
    },
  });
  const deltas: Delta<Item>[] = [];
  return { clock, cloud, cache, deltas, listen: () => cache.subscribe((delta) => deltas.push(delta)) };
}

const thing = (id: string, status = 'ACTIVE'): Item => ({ id, status });

function failure(retryAfterMs?: number): OpenStackError {
  const call = { service: 'compute', method: 'GET', template: '/things' } as const;
  return new OpenStackError({ kind: 'rateLimited', ...call, message: 'no', outcome: 'notDone', retryAfterMs });
}

describe('ResourceCache', () => {
  it('does not list without subscribers', async () => {
    const { clock, cloud, cache } = start();

    cache.expectChange('nobody looks');
    cache.invalidate();
    await clock.advance(3_600_000);

    expect(cloud.lists).toEqual([]);
    expect(cache.snapshot()).toEqual({ items: new Map(), listedAtMs: undefined });
  });

  it('observes passively: receives lists that others request, and causes none', async () => {
    const { clock, cloud, cache } = start();
    const heard: string[] = [];
    const stop = cache.observePassively(({ added, removed }) => {
      heard.push(...added.map(({ id }) => `+${id}`), ...removed.map(({ id }) => `-${id}`));
    });
    await clock.advance(3_600_000);
    const before = cloud.lists.length;
    cloud.things = [thing('a')];
    const [firstMs] = await Promise.all([cache.refreshAfter(clock.now()), clock.advance(2_000)]);
    cloud.things = [];
    await Promise.all([cache.refreshAfter(clock.now()), clock.advance(2_000)]);
    stop();
    cloud.things = [thing('b')];
    await Promise.all([cache.refreshAfter(clock.now()), clock.advance(2_000)]);

    expect(before).toBe(0);
    expect(heard).toEqual(['+a', '-a']);
    expect(cloud.lists).toHaveLength(3);
    expect(cache.listedBeforeMs).toBeGreaterThan(firstMs.listedAtMs ?? 0);
  });

  it('lists once a minute for any number of listeners, and stops when the last one unsubscribes', async () => {
    const { clock, cloud, listen } = start();
    const stops = [listen(), listen(), listen()];

    await clock.advance(179_000);
    expect(cloud.lists).toEqual([0, 60_000, 120_000]);

    for (const stop of stops) stop();
    await clock.advance(3_600_000);
    expect(cloud.lists).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not list more often when listeners come and go', async () => {
    const { clock, cloud, listen } = start();

    for (let second = 0; second < 59; second++) {
      const stop = listen();
      await clock.advance(1000);
      stop();
    }

    expect(cloud.lists).toEqual([0]);
  });

  it('lists less often while no fast poller is active, and requests an overdue list as soon as one starts', async () => {
    const { clock, cloud, cache, listen } = start({ intervals: { idleMs: 300_000 } });
    listen();
    await clock.advance(450_000);

    const ends = [cache.pollFaster(), cache.pollFaster()];
    await clock.advance(100_000);
    ends[0]?.();
    await clock.advance(30_000);
    ends[1]?.();
    await clock.advance(620_000);

    expect(cache.canPollSlower).toBe(true);
    expect(cloud.lists).toEqual([0, 300_000, 450_000, 510_000, 570_000, 630_000, 930_000]);
  });

  it('lists no more often for a fast poller that comes and goes than for a permanent one', async () => {
    const { clock, cloud, cache, listen } = start({ intervals: { idleMs: 300_000 } });
    listen();
    await clock.advance(1_000);
    cloud.lists.length = 0;

    for (let second = 0; second < 600; second++) {
      const end = cache.pollFaster();
      await clock.advance(500);
      end();
      await clock.advance(500);
    }

    expect(cloud.lists.length).toBeLessThanOrEqual(10);
    expect(cloud.lists.length).toBeGreaterThanOrEqual(9);
  });

  it('backs off after a failure even with fast pollers', async () => {
    const { clock, cloud, cache, listen } = start({ intervals: { idleMs: 300_000 } });
    listen();
    await clock.advance(1_000);
    cloud.failure = failure(200_000);
    await Promise.all([expect(cache.refreshAfter(clock.now())).rejects.toThrow('no'), clock.advance(1_000)]);
    cloud.lists.length = 0;

    const end = cache.pollFaster();
    await clock.advance(150_000);
    end();

    expect(cloud.lists).toEqual([]);
  });

  it('delivers additions, changes and removals, and keeps the identity of unchanged items', async () => {
    const { clock, cloud, cache, deltas, listen } = start();
    cloud.things = [thing('a'), thing('b', 'BUILD'), thing('c')];
    listen();
    await clock.advance(0);
    const before = cache.snapshot().items;

    cloud.things = [thing('a'), thing('b'), thing('d')];
    await clock.advance(60_000);

    expect(deltas).toEqual([
      { added: [thing('a'), thing('b', 'BUILD'), thing('c')], changed: [], removed: [], isStale: false },
      { added: [thing('d')], changed: [thing('b')], removed: [thing('c')], isStale: false },
    ]);
    expect(cache.snapshot().items.get('a')).toBe(before.get('a'));
    await clock.advance(60_000);
    expect(deltas).toHaveLength(2);
  });

  it('lists at 100, 200, 400, 800… ms, then every 2 s, while a change is expected', async () => {
    const { clock, cloud, cache, listen } = start();
    listen();
    await clock.advance(10_000);
    cloud.lists.length = 0;

    const release = cache.expectChange('server a becomes ACTIVE');
    expect(cache.expected).toEqual(['server a becomes ACTIVE']);
    await clock.advance(8_000);

    expect(cloud.lists.map((ms) => ms - 10_000)).toEqual([100, 200, 400, 800, 1600, 3200, 5200, 7200]);
    release();
    await clock.advance(59_000);
    expect(cloud.lists).toHaveLength(8);
  });

  it('is not delayed by repeated expectations, and ends fast lists when the last expectation ends', async () => {
    const { clock, cloud, cache, listen } = start();
    listen();
    await clock.advance(10_000);
    cloud.lists.length = 0;

    const releases: (() => void)[] = [];
    for (let turn = 0; turn < 20; turn++) {
      releases.push(cache.expectChange(`${turn}`));
      await clock.advance(50);
    }
    expect(cloud.lists.length).toBeGreaterThanOrEqual(9);

    const last = releases.pop();
    for (const release of releases) release();
    cloud.lists.length = 0;
    await clock.advance(10_000);
    expect(cloud.lists.length).toBeGreaterThanOrEqual(5);
    last?.();
    cloud.lists.length = 0;
    await clock.advance(50_000);
    expect(cloud.lists).toEqual([]);
  });

  it('polls for a change when such changes usually become visible, once it has observed some', async () => {
    const { clock, cloud, cache, listen } = start();
    listen();
    await clock.advance(0);
    /** Number of polls before a list shows a change that takes 5 s. */
    const pollsUntilDeletion = async () => {
      const begunMs = clock.now();
      cloud.lists.length = 0;
      const end = cache.expectChange('a server goes', 'deletion');
      while ((cache.snapshot().listedAtMs ?? 0) < begunMs + 5_000) await clock.advance(100);
      end(true);
      return cloud.lists.length;
    };

    const first = await pollsUntilDeletion();
    for (let turn = 0; turn < 20; turn++) await pollsUntilDeletion();
    const later = await pollsUntilDeletion();
    cloud.lists.length = 0;
    await clock.advance(50_000);

    expect(first).toBeGreaterThanOrEqual(7);
    expect(later).toBeLessThanOrEqual(2);
    expect(cloud.lists).toEqual([]);
  });

  it('runs urgent lists with priority and periodic ones in the background', async () => {
    const { clock, cloud, cache, listen } = start();
    listen();
    await clock.advance(0);
    await clock.advance(60_000);
    cache.expectChange('a');
    await clock.advance(100);

    expect(cloud.priorities).toEqual(['background', 'background', 'normal']);
  });

  it('lists less often when calls to the cloud are queued', async () => {
    const { clock, cloud, cache, listen } = start({ isBudgetExhausted: true });
    listen();
    await clock.advance(0);

    cache.expectChange('a');
    await clock.advance(6_000);

    expect(cloud.lists).toEqual([0, 2_000, 4_000, 6_000]);
  });

  describe('refreshAfter', () => {
    it('waits for a list that began after the given time, not for the one in flight', async () => {
      const { clock, cloud, cache, listen } = start({ latencyMs: 500 });
      listen();
      await clock.advance(100);

      // Written while the first list is in flight, which does not show it.
      cloud.things = [thing('mine')];
      const refreshed = cache.refreshAfter(clock.now());
      await clock.advance(1000);

      expect((await refreshed).items.has('mine')).toBe(true);
      expect(cloud.lists).toEqual([0, 500]);
    });

    it('does not accept a list that began in the same millisecond', async () => {
      const { clock, cloud, cache } = start();
      const writtenMs = clock.now();

      const refreshed = cache.refreshAfter(writtenMs);
      await clock.advance(1);

      expect((await refreshed).listedAtMs).toBe(writtenMs + 1);
      expect(cloud.lists).toEqual([1]);
    });

    it('resolves immediately if such a list already exists', async () => {
      const { clock, cloud, cache, listen } = start();
      const writtenMs = clock.now() - 1;
      listen();
      await clock.advance(0);

      await cache.refreshAfter(writtenMs);

      expect(cloud.lists).toHaveLength(1);
    });

    it('shares one list among many waiters', async () => {
      const { clock, cloud, cache } = start({ latencyMs: 200 });

      const waiting = Array.from({ length: 100 }, () => cache.refreshAfter(clock.now()));
      await clock.advance(1000);
      await Promise.all(waiting);

      expect(cloud.lists).toEqual([1]);
      expect(cloud.mostUnderWay).toBe(1);
      expect(clock.pendingTimers).toBe(0);
    });

    it('keeps a minimum interval between lists for any number of waiters', async () => {
      const { clock, cloud, cache } = start();

      for (let turn = 0; turn < 100; turn++) {
        void cache.refreshAfter(clock.now());
        await clock.advance(1);
      }

      expect(cloud.lists).toEqual([1, 26, 51, 76]);
    });

    it('rejects when its caller aborts, and stops listing for that caller', async () => {
      const { clock, cloud, cache } = start();
      const abort = new AbortController();
      const waiting = cache.refreshAfter(clock.now(), abort.signal);

      abort.abort(new Error('stopping'));

      await expect(waiting).rejects.toThrow('stopping');
      await clock.advance(1000);
      expect(cloud.lists).toEqual([]);
    });

    it('also waits for a list after an invalidation', async () => {
      const { clock, cloud, cache, listen } = start({ latencyMs: 500 });
      listen();
      await clock.advance(100);

      cache.invalidate();
      const refreshed = cache.refreshAfter(0);
      await clock.advance(2000);
      await refreshed;

      expect(cloud.lists).toEqual([0, 500]);
    });
  });

  it('keeps the snapshot while lists fail, reports the start and cause of the failure, and notifies on recovery', async () => {
    const { clock, cloud, cache, deltas, listen } = start();
    cloud.things = [thing('a')];
    listen();
    await clock.advance(0);
    const listedAtMs = cache.snapshot().listedAtMs;

    cloud.failure = failure();
    await clock.advance(60_000);
    const sinceMs = clock.now();
    await clock.advance(3_000);

    expect(cache.snapshot()).toEqual({
      items: new Map([['a', thing('a')]]),
      listedAtMs,
      stale: { sinceMs, error: cloud.failure },
    });
    cloud.failure = undefined;
    await clock.advance(60_000);
    expect(cache.snapshot().stale).toBeUndefined();
    expect(deltas.map((delta) => delta.isStale)).toEqual([false, true, false]);
  });

  it('backs off after failures even if changes are expected', async () => {
    const { clock, cloud, cache, listen } = start();
    cloud.failure = failure();
    listen();
    cache.expectChange('a');

    await clock.advance(6_000);

    expect(cloud.lists).toEqual([0, 375, 1125, 2625, 5625]);
  });

  it('lists immediately once the cause of a failure is fixed', async () => {
    const { clock, cloud, cache, listen } = start();
    cloud.failure = failure(30_000);
    listen();
    await clock.advance(1_000);
    cloud.failure = undefined;

    cache.retryNow();
    await clock.advance(0);

    expect(cloud.lists).toEqual([0, 1_000]);
    expect(cache.snapshot().stale).toBeUndefined();
  });

  it('honors Retry-After, and rejects waiters immediately', async () => {
    const { clock, cloud, cache, listen } = start();
    cloud.failure = failure(30_000);
    listen();
    await clock.advance(0);

    const refreshed = cache.refreshAfter(clock.now());

    await expect(refreshed).rejects.toBe(cloud.failure);
    cloud.failure = undefined;
    await clock.advance(30_000);
    expect(cloud.lists).toEqual([0]);
    await clock.advance(1_000);
    expect(cloud.lists).toHaveLength(2);
    await clock.advance(1);
    await expect(cache.refreshAfter(clock.now() - 1000)).resolves.toMatchObject({ items: new Map() });
  });

  it('rejects the waiters of a failed list', async () => {
    const { clock, cloud, cache } = start({ latencyMs: 100 });
    cloud.failure = failure();

    const refreshed = cache.refreshAfter(clock.now());
    const outcome = refreshed.catch((error: unknown) => error);
    await clock.advance(200);

    expect(await outcome).toBe(cloud.failure);
    await clock.advance(3_600_000);
    expect(cloud.lists).toHaveLength(1);
  });

  it('aborts its list and rejects its waiters when it is stopped', async () => {
    const { clock, cloud, cache, listen } = start({ latencyMs: 1000 });
    listen();
    const refreshed = cache.refreshAfter(clock.now());
    const outcome = refreshed.catch((error: unknown) => error);
    await clock.advance(10);

    cache.stop();

    expect(await outcome).toMatchObject({ message: 'the cache of things was stopped' });
    await clock.advance(3_600_000);
    expect(cloud.lists).toHaveLength(1);
    expect(cloud.underWay).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('notifies the other listeners when one fails', async () => {
    const { clock, cloud, cache, deltas, listen } = start();
    cloud.things = [thing('a')];
    cache.subscribe(() => {
      throw new Error('mine');
    });
    listen();

    await clock.advance(0);

    expect(deltas).toHaveLength(1);
  });
});
