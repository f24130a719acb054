import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, test } from 'vitest';
import { type Attempt, Attempts, BackoffError, retryAtMs } from './attempts.ts';

class Failure extends Error {
  readonly isShared: boolean;

  constructor(message: string, isShared: boolean) {
    super(message);
    this.isShared = isShared;
  }
}

function setUp() {
  const clock = new FakeClock();
  const attempts = new Attempts({
    clock,
    random: () => 1,
    classify: (error) => (error instanceof Failure ? { cause: error.message, isShared: error.isShared } : undefined),
  });
  let calls = 0;
  /** Makes one attempt; resolves with its outcome. */
  const attempt = async (attemptedCall: Attempt, failure?: Error): Promise<'done' | 'failed' | 'rested'> => {
    try {
      await attempts.withBackoff(attemptedCall, async () => {
        calls++;
        await Promise.resolve();
        if (failure) throw failure;
      });
      return 'done';
    } catch (error) {
      return error instanceof BackoffError ? 'rested' : 'failed';
    }
  };
  return { clock, attempts, attempt, calls: () => calls };
}

const quota = new Failure('quota', true);
const itemFailure = new Failure('wrong', false);
const one = { kind: 'create', item: 'one' };
const two = { kind: 'create', item: 'two' };

describe('attempts', () => {
  test('the backoff grows to five minutes, and a success resets it', async () => {
    const { clock, attempts, attempt } = setUp();
    const pauses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const error = await attempts
        .withBackoff(one, () => Promise.reject(new Failure('quota', true)))
        .catch((e: unknown) => e);
      pauses.push((retryAtMs(error) ?? 0) - clock.now());
      expect(await attempt(one)).toBe('rested');
      await clock.advance(pauses.at(-1) ?? 0);
    }
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauses.at(-1)).toBe(300_000);

    expect(await attempt(one)).toBe('done');
    expect(await attempt(one)).toBe('done');
  });

  test('a different cause restarts the backoff', async () => {
    const { clock, attempt, attempts } = setUp();
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      await attempt(one, quota);
      await clock.advance(pauseMs);
    }
    const error = await attempts
      .withBackoff(one, () => Promise.reject(new Failure('other', true)))
      .catch((e: unknown) => e);

    expect((retryAtMs(error) ?? 0) - clock.now()).toBe(1_000);
  });

  test('concurrent failures from a shared cause count once, and one item probes for all', async () => {
    const { clock, attempt, calls } = setUp();
    const all = Array.from({ length: 20 }, (_, i) => ({ kind: 'create', item: `machine ${i}`, group: 'pool' }));
    await Promise.all(all.map((each) => attempt(each, quota)));
    expect(calls()).toBe(20);

    for (let second = 0; second < 20; second++) {
      await clock.advance(1_000);
      await Promise.all(all.map((each) => attempt(each, quota)));
    }
    expect(calls()).toBe(24);

    await clock.advance(60_000);
    const results = await Promise.all(all.map((each) => attempt(each)));
    expect(results.filter((result) => result === 'done')).toHaveLength(1);
    expect(await Promise.all(all.map((each) => attempt(each)))).toEqual(all.map(() => 'done'));
  });

  test('a failure of one item does not delay other items', async () => {
    const { attempt } = setUp();
    expect(await attempt(one, itemFailure)).toBe('failed');

    expect(await attempt(two)).toBe('done');
    expect(await attempt(one)).toBe('rested');
  });

  test('an item that has not hit the shared cause gets one attempt', async () => {
    const { attempt } = setUp();
    await attempt(one, quota);

    expect(await attempt(two, quota)).toBe('failed');
    expect(await attempt(two, quota)).toBe('rested');
    expect(await attempt({ kind: 'create', item: 'three' })).toBe('done');
    expect(await attempt(one), 'another one was smaller').toBe('rested');
  });

  test('waiting items probe in turn', async () => {
    const { clock, attempt } = setUp();
    await attempt(one, quota);
    await attempt(two, quota);
    await clock.advance(1_000);

    expect(await attempt(one)).toBe('rested');
    expect(await attempt(two, quota)).toBe('failed');
    await clock.advance(2_000);
    expect(await attempt(two)).toBe('rested');
    expect(await attempt(one)).toBe('done');
    expect(await attempt(two)).toBe('done');
  });

  test('a user request is served immediately, at most once a second', async () => {
    const { clock, attempts, attempt } = setUp();
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 2_000]) {
      await attempt(one, quota);
      await clock.advance(pauseMs);
    }
    attempts.retryNow();
    expect(await attempt(one, quota)).toBe('failed');
    attempts.retryNow();
    expect(await attempt(one, quota)).toBe('rested');
    await clock.advance(1_000);

    expect(await attempt(one)).toBe('done');
  });

  test('a nested attempt uses the inner backoff and is counted once', async () => {
    const { clock, attempts } = setUp();
    const outer = (item: string, failure?: Error) =>
      attempts.withBackoff({ kind: 'network', item }, () =>
        attempts.withBackoff({ kind: 'create', item, group: 'all' }, () =>
          failure ? Promise.reject(failure) : Promise.resolve(),
        ),
      );
    await outer('a', quota).catch(() => undefined);
    const error = await outer('b').catch((e: unknown) => e);

    expect(error).toBeInstanceOf(BackoffError);
    expect((retryAtMs(error) ?? 0) - clock.now()).toBe(1_000);
    await clock.advance(2_000);
    await expect(outer('b')).resolves.toBeUndefined();
  });

  test('an error without a retry decision does not start a backoff', async () => {
    const { attempt } = setUp();
    expect(await attempt(one, new Error('the process ends'))).toBe('failed');

    expect(await attempt(one)).toBe('done');
  });
});
