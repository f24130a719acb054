import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import { Budget, type BudgetOptions, type Priority } from './budget.ts';

describe('Budget', () => {
  function start(options: BudgetOptions) {
    const clock = new FakeClock();
    const budget = new Budget(clock, options);
    const started: string[] = [];
    const acquire = (
      name: string,
      priority: Priority = 'normal',
      signal = new AbortController().signal,
      project = 'ours',
    ) => {
      const acquired = budget.acquire(project, priority, signal);
      void acquired.then(
        () => started.push(name),
        () => {},
      );
      return acquired;
    };
    return { clock, budget, started, acquire };
  }

  it('admits a burst, then one call per second at 60 a minute', async () => {
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

  it('accumulates at most the burst while idle', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 2, concurrent: 10 });

    await clock.advance(3_600_000);
    for (const name of ['a', 'b', 'c']) void acquire(name);
    await clock.advance(0);

    expect(started).toEqual(['a', 'b']);
  });

  it('queues calls above the concurrency limit', async () => {
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

  it('runs background calls after all other calls', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 1, concurrent: 10 });
    void acquire('a');
    void acquire('list', 'background');
    void acquire('b');

    await clock.advance(2000);

    expect(started).toEqual(['a', 'b', 'list']);
  });

  it('removes an aborted caller from the queue', async () => {
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

  it('makes a call wait for at most one call of each other project, however many they have queued', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60, burst: 1, concurrent: 10 });
    const signal = new AbortController().signal;
    for (let call = 0; call < 1_000; call++) void acquire(`flood ${call}`, 'normal', signal, 'flood').catch(() => {});
    for (let call = 0; call < 1_000; call++) void acquire(`storm ${call}`, 'normal', signal, 'storm').catch(() => {});
    await clock.advance(0);
    expect(started).toEqual(['flood 0']);

    void acquire('quiet', 'normal', signal, 'quiet');
    void acquire('quiet list', 'background', signal, 'quiet');
    await clock.advance(6_000);

    expect(started).toEqual(['flood 0', 'flood 1', 'storm 0', 'quiet', 'flood 2', 'storm 1', 'quiet list']);
  });

  it('splits the rate evenly between two projects, and gives the whole rate to a single project', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 6_000, burst: 1, concurrent: 1_000 });
    const signal = new AbortController().signal;
    const count = (project: string) => started.filter((name) => name === project).length;
    for (let call = 0; call < 1_000; call++) void acquire('a', 'normal', signal, 'a').then((release) => release());
    for (let call = 0; call < 100; call++) void acquire('b', 'normal', signal, 'b').then((release) => release());

    await clock.advance(1_000);
    const shared = [count('a'), count('b')];
    await clock.advance(9_000);

    expect(shared[0]).toBeGreaterThanOrEqual(50);
    expect(shared[1]).toBeGreaterThanOrEqual(50);
    expect(count('a') + count('b')).toBeGreaterThanOrEqual(1_000);
  });

  it('keeps slots free for other projects while the calls of some hang', async () => {
    const { clock, started, acquire } = start({ requestsPerMinute: 60_000, burst: 1_000, concurrent: 64 });
    const signal = new AbortController().signal;
    for (let call = 0; call < 200; call++) void acquire('one', 'normal', signal, 'one');
    await clock.advance(0);
    const runProgram = started.length;
    for (let call = 0; call < 200; call++) void acquire('two', 'normal', signal, 'two');
    await clock.advance(0);

    void acquire('quiet', 'normal', signal, 'quiet');
    await clock.advance(0);

    expect(runProgram).toBe(48);
    expect(started.filter((name) => name === 'two')).toHaveLength(12);
    expect(started.at(-1)).toBe('quiet');
  });
});
