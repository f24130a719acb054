import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import { Budget, type BudgetOptions, type Priority } from './budget.ts';

describe('Budget', () => {
  function start(options: BudgetOptions) {
    const clock = new FakeClock();
    const budget = new Budget(clock, options);
    const started: string[] = [];
    const acquire = (name: string, priority: Priority = 'normal', signal = new AbortController().signal) => {
      const acquired = budget.acquire(priority, signal);
      void acquired.then(
        () => started.push(name),
        () => {},
      );
      return acquired;
    };
    return { clock, budget, started, acquire };
  }

  it('lets a burst through, then one a second at 60 a minute', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 2, concurrent: 10 });
    for (const name of ['a', 'b', 'c', 'd']) void acquire(name);

    await clock.advance(0);
    expect(started).toEqual(['a', 'b']);
    await clock.advance(999);
    expect(started).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(started).toEqual(['a', 'b', 'c']);
    await clock.advance(1000);
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('earns no more than the burst while idle', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 2, concurrent: 10 });

    await clock.advance(3_600_000);
    for (const name of ['a', 'b', 'c']) void acquire(name);
    await clock.advance(0);

    expect(started).toEqual(['a', 'b']);
  });

  it('holds back what is above the concurrent limit until a call ends', async () => {
    const { clock, budget, started, acquire } = start({ requestsPerMinute: 60_000, burst: 100, concurrent: 1 });
    const first = acquire('a');
    void acquire('b');

    await clock.advance(10_000);
    expect(started).toEqual(['a']);
    expect(budget.waiting).toBe(1);

    const release = await first;
    release();
    release();
    await clock.advance(0);
    expect(started).toEqual(['a', 'b']);
    expect(budget.running).toBe(1);
  });

  it('lets background calls wait for all others', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 1, concurrent: 10 });
    void acquire('a');
    void acquire('list', 'background');
    void acquire('b');

    await clock.advance(2000);

    expect(started).toEqual(['a', 'b', 'list']);
  });

  it('forgets a caller that gave up', async () => {
    const { clock, budget, started, acquire } = start({ requestsPerMinute: 60, burst: 1, concurrent: 10 });
    const abort = new AbortController();
    void acquire('a');
    const waiting = acquire('b', 'normal', abort.signal);

    abort.abort(new Error('gone'));

    await expect(waiting).rejects.toThrow('gone');
    await clock.advance(60_000);
    expect(started).toEqual(['a']);
    expect(budget.waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
