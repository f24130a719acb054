import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Goal } from './goal.ts';
import { LineReporter } from './reporter.ts';
import type { Outcome, Step } from './step.ts';
import { timeLeft, waitForGoal } from './wait-for.ts';

const EMPTY_VIEW: ClusterView = { cluster: undefined, pools: [], machines: [] };
const BLOCKED: Outcome = { state: 'blocked', reason: 'QuotaExceeded', message: 'the quota is 10 cores' };

/** A goal with the listed states, one per view; nothing changes after the last one. */
function runGoal(outcomes: readonly Outcome[], steps: readonly (readonly Step[])[] = []) {
  const clock = new FakeClock();
  const context = fakeContext({ clock });
  const seen = Promise.withResolvers<void>();
  let index = -1;
  const goal: Goal = {
    subject: 'cluster "demo"',
    steps: () => steps[index] ?? [],
    outcome: () => outcomes[index] ?? { state: 'running' },
  };
  async function* follow(signal: AbortSignal) {
    for (index = 0; index < outcomes.length; index++) yield EMPTY_VIEW;
    index--;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    seen.resolve();
    await aborted;
  }
  const interrupt = new AbortController();
  const reporter = new LineReporter(context.stderr);
  const done = waitForGoal(goal, { follow, reporter, clock, signal: interrupt.signal, timeoutMs: 60_000 });
  return { done, clock, allSeen: seen.promise, written: context.written, interrupt };
}

test('ends the wait when the goal is reached', async () => {
  await expect(runGoal([{ state: 'running' }, { state: 'done' }]).done).resolves.toBeUndefined();
});

test('ends the wait on a permanent failure, with advice', async () => {
  const { done } = runGoal([{ state: 'failed', reason: 'FlavorNotFound', message: 'no b3-9' }]);

  await expect(done).rejects.toMatchObject({
    message: 'cluster "demo": FlavorNotFound: no b3-9',
    advice: expect.stringContaining('openstack flavor list'),
    exitCode: 1,
  });
});

test('reports a blocked step after a grace period', async () => {
  const { done, clock, allSeen } = runGoal([BLOCKED]);
  const failure = done.catch((error: unknown) => error);
  await allSeen;
  await clock.advance(15_000);

  expect(await failure).toMatchObject({ message: 'cluster "demo": QuotaExceeded: the quota is 10 cores', exitCode: 1 });
});

test('continues despite a transient problem', async () => {
  const { done } = runGoal([BLOCKED, { state: 'running' }, { state: 'done' }]);

  await expect(done).resolves.toBeUndefined();
});

test('times out with a message saying that Fairway continues', async () => {
  const { done, clock, allSeen } = runGoal([{ state: 'running' }]);
  const failure = done.catch((error: unknown) => error);
  await allSeen;
  await clock.advance(60_000);

  expect(await failure).toMatchObject({ message: 'cluster "demo": timed out after 60 s', exitCode: 4 });
});

test('prints one line per change without a terminal', async () => {
  const step = (state: Step['state'], detail: string): Step => ({ key: 'n', title: 'network', state, detail });
  const { done, written } = runGoal(
    [{ state: 'running' }, { state: 'running' }, { state: 'running' }, { state: 'done' }],
    [[step('waiting', '')], [step('running', 'a router')], [step('running', 'a router')], [step('done', '')]],
  );
  await done;

  expect(written.stderr).toBe('network: a router\nnetwork: done\n');
});

test('reports a removed step as gone, once', async () => {
  const step = (key: string): Step => ({
    key,
    title: key,
    state: 'running',
    detail: 'goes',
    progress: { done: 2, total: 2 },
  });
  const { done, written } = runGoal(
    [{ state: 'running' }, { state: 'running' }, { state: 'running' }, { state: 'done' }],
    [[step('cluster'), step('pool')], [step('cluster')], [step('cluster')], []],
  );
  await done;

  expect(written.stderr).toBe('cluster: goes\npool: goes\npool: done, gone\ncluster: done, gone\n');
});

test('reports a part without a terminal once it is active', async () => {
  const part = (state: Step['state']): Step => ({ key: 'a', title: 'machine a', state, detail: 'x', isPart: true });
  const { done, written } = runGoal(
    [{ state: 'running' }, { state: 'running' }, { state: 'done' }],
    [[part('done')], [part('running')], [part('done')]],
  );
  await done;

  expect(written.stderr).toBe('machine a: x\nmachine a: done, x\n');
});

test('applies one timeout to everything that a command waits for', async () => {
  const clock = new FakeClock();
  const left = timeLeft({ clock }, 60_000);

  expect(left()).toBe(60_000);
  await clock.advance(45_000);
  expect(left()).toBe(15_000);
  await clock.advance(45_000);
  expect(left()).toBe(1);
});
