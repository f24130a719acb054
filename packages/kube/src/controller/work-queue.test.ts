import { FakeClock } from '@fairway/base/clock-fake';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkQueue } from './work-queue.ts';

function queue(random = () => 1) {
  const clock = new FakeClock();
  let ready = 0;
  const depth = { now: 0 };
  const observer = {
    added: () => undefined,
    retried: () => undefined,
    waited: () => undefined,
    depthChanged: (delta: number) => {
      depth.now += delta;
    },
  };
  const queue = new WorkQueue({ clock, random, observer, onReady: () => ready++ });
  return { clock, queue, depth, readyCalls: () => ready };
}

function takeAll(work: WorkQueue): string[] {
  const taken: string[] = [];
  for (let key = work.take(); key !== undefined; key = work.take()) taken.push(key);
  return taken;
}

describe('a work queue', () => {
  test('queues a key once, in the order in which keys were first added', () => {
    const { queue: work, depth } = queue();
    for (const key of ['b', 'a', 'b']) work.add(key);

    expect(depth.now).toBe(2);
    expect(takeAll(work)).toEqual(['b', 'a']);
    expect(depth.now).toBe(0);
  });

  test.each([
    {
      due: 'bad/1 bad/2 bad/3 good/1',
      taken: 'bad/1 good/1 bad/2 bad/3',
      reason: 'a namespace waits for one key of each other namespace',
    },
    {
      due: 'bad/1 bad/2 plan-a plan-b',
      taken: 'bad/1 plan-a plan-b bad/2',
      reason: 'cluster-scoped keys each have their own turn',
    },
    {
      due: 'a/1/x a/2/y b/1/z',
      taken: 'a/1/x b/1/z a/2/y',
      reason: 'keys within a tenant’s cluster count towards its namespace',
    },
  ])('serves namespaces in turn: $reason', ({ due, taken }) => {
    const { queue: work } = queue();
    for (const key of due.split(' ')) work.add(key);

    expect(takeAll(work).join(' ')).toBe(taken);
  });

  test('serves keys that become due later in turn too', async () => {
    const { queue: work, clock } = queue();
    for (let index = 0; index < 5; index++) work.add(`bad/${index}`, 1_000);
    work.add('good/1', 1_001);
    await clock.advance(2_000);

    expect(takeAll(work).slice(0, 2)).toEqual(['bad/0', 'good/1']);
  });

  test('leaves a slot for other namespaces without losing keys', () => {
    const work = new WorkQueue({ clock: new FakeClock(), random: () => 1, concurrency: 4, onReady: () => undefined });
    for (let index = 0; index < 9; index++) work.add(`bad/${index}`);
    const running = takeAll(work);
    expect(running).toHaveLength(3);

    work.add('good/1');
    expect(takeAll(work)).toEqual(['good/1']);
    for (const key of [...running, 'good/1']) work.done(key);
    expect(takeAll(work)).toHaveLength(3);
    expect(work.isIdle).toBe(false);
  });

  test('never returns a key that is running', () => {
    const { queue: work } = queue();
    work.add('a');
    work.take();
    work.add('a');

    expect(work.take()).toBeUndefined();
  });

  test('runs a key exactly once more, however often it is added during its run', () => {
    const { queue: work } = queue();
    work.add('a');
    work.take();
    for (let i = 0; i < 3; i++) work.add('a');
    work.done('a');

    expect(takeAll(work)).toEqual(['a']);
    work.done('a');
    expect(work.take()).toBeUndefined();
    expect(work.isIdle).toBe(true);
  });

  test.each`
    first     | second   | dueMs    | reason
    ${5_000}  | ${1_000} | ${1_000} | ${'an earlier time brings it forward'}
    ${1_000}  | ${5_000} | ${1_000} | ${'a later time does not put it off'}
    ${60_000} | ${0}     | ${0}     | ${'an event does not wait for the timer'}
  `('makes a key due at the earlier of $first and $second: $reason', async ({ first, second, dueMs }) => {
    const { queue: work, clock, readyCalls } = queue();
    work.add('a', first);
    work.add('a', second);
    await clock.advance(dueMs - 1);
    expect(readyCalls()).toBe(dueMs === 0 ? 1 : 0);
    await clock.advance(1);

    expect(readyCalls()).toBe(1);
    expect(work.take()).toBe('a');
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  test('uses the earlier due time even while the key runs', async () => {
    const { queue: work, clock } = queue();
    work.add('a');
    work.take();
    work.add('a', 60_000);
    work.add('a', 1_000);
    work.done('a');

    await clock.advance(1_000);
    expect(work.take()).toBe('a');
  });

  test('doubles the backoff of a key up to a cap, until it is forgotten', async () => {
    const { queue: work, clock } = queue();
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      work.addRateLimited('a');
      delays.push(clock.nextDueMs ?? 0);
      await clock.advance(clock.nextDueMs ?? 0);
      work.take();
      work.done('a');
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.at(-1)).toBe(300_000);

    work.forget('a');
    work.addRateLimited('a');
    expect(clock.nextDueMs).toBe(5);
  });

  test('jitters the backoff by up to a quarter', () => {
    const { queue: work, clock } = queue(() => 0);
    work.addRateLimited('a');
    expect(clock.nextDueMs).toBe(3.75);
  });

  test('honours Retry-After', () => {
    const { queue: work, clock } = queue();
    work.addRateLimited('a', { minimumMs: 7_000 });
    expect(clock.nextDueMs).toBe(7_000);
  });

  test('does not shorten a failed key’s backoff when the key is added again', async () => {
    const { queue: work, clock } = queue();
    work.add('a');
    work.take();
    work.add('a');
    work.addRateLimited('a', { minimumMs: 1_000 });
    work.done('a');
    work.add('a');
    work.add('a', 10);
    await clock.advance(999);
    expect(work.take()).toBeUndefined();

    await clock.advance(1);
    expect(work.take()).toBe('a');
  });

  test('lets an event shorten a delay that allows it', () => {
    const { queue: work } = queue();
    work.add('a');
    work.take();
    work.addRateLimited('a', { minimumMs: 1_000, mayBeShortened: true });
    work.done('a');
    work.add('a');

    expect(work.take()).toBe('a');
  });

  test('takes a key immediately on a user’s request, and flags only that run', async () => {
    const { queue: work, clock } = queue();
    work.add('a');
    work.take();
    work.addRateLimited('a', { minimumMs: 60_000 });
    work.done('a');
    work.retryNow('a');
    expect(work.take()).toBe('a');
    expect(work.takeRequest('a')).toBe(true);

    work.addRateLimited('a', { minimumMs: 60_000 });
    work.done('a');
    work.add('a');
    expect(work.take()).toBeUndefined();
    await clock.advance(60_000);
    expect(work.take()).toBe('a');
    expect(work.takeRequest('a')).toBe(false);
  });

  test('skips the backoff if a user requests a retry during a run', () => {
    const { queue: work } = queue();
    work.add('a');
    work.take();
    work.takeRequest('a');
    work.retryNow('a');
    work.addRateLimited('a', { minimumMs: 60_000 });
    work.done('a');

    expect(work.take()).toBe('a');
  });

  test('drops queued keys and accepts no more after a shutdown', () => {
    const { queue: work, clock, depth } = queue();
    work.add('a');
    work.add('b', 1_000);
    work.shutDown();
    work.add('c');

    expect(work.take()).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
    expect(depth.now).toBe(0);
  });

  test('keeps its guarantees in any sequence of calls', async () => {
    const keys = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), key: keys, delayMs: fc.constantFrom(0, 0, 5, 50) }),
      fc.record({ kind: fc.constant('take' as const) }),
      fc.record({ kind: fc.constant('done' as const), key: keys }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 10) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue: work, clock, depth } = queue();
        const due = new Map<string, number>();
        const running = new Set<string>();
        let isCorrect = true;
        for (const action of steps) {
          switch (action.kind) {
            case 'add': {
              work.add(action.key, action.delayMs);
              due.set(action.key, Math.min(due.get(action.key) ?? Infinity, clock.now() + action.delayMs));
              break;
            }
            case 'take': {
              const runnable = [...due]
                .filter(([key, ms]) => ms <= clock.now() && !running.has(key))
                .map(([key]) => key);
              const taken = work.take();
              isCorrect &&= runnable.length === 0 ? taken === undefined : runnable.includes(taken ?? '');
              if (taken !== undefined) {
                due.delete(taken);
                running.add(taken);
              }
              break;
            }
            case 'done':
              work.done(action.key);
              running.delete(action.key);
              break;
            case 'wait':
              await clock.advance(action.ms);
              break;
          }
          expect(work.running).toBe(running.size);
        }
        expect(isCorrect).toBe(true);
        for (const key of running) work.done(key);
        await clock.advance(100);
        expect(depth.now).toBe(due.size);
        expect(takeAll(work).sort()).toEqual([...due.keys()].sort());
      }),
      { numRuns: 60 },
    );
  });
});
