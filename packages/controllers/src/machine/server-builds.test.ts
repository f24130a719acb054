import { FakeClock } from '@fairway/base/clock-fake';
import { Attempts, BackoffError } from '@fairway/kube/controller/attempts';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { describe, expect, test } from 'vitest';
import { ServerBuilds } from './server-builds.ts';

const SHAPE = JSON.stringify(['pool-uid', 'b3-8']);
const OTHER = JSON.stringify(['pool-uid', 'b3-16']);
const PAUSE_MS = 10_000;
const fault = new ProblemError({ reason: 'FlavorOutOfStock', message: 'no room' });

function start() {
  const clock = new FakeClock();
  const backoff = { baseMs: PAUSE_MS, maxMs: 300_000 };
  const builds = new ServerBuilds(new Attempts({ clock, random: () => 1, classify: classifyError, backoff }), clock);
  /** The machines that may be built now. */
  const begun = (machines: readonly string[], lastFailure?: ProblemError, shape = SHAPE) =>
    machines.filter((uid) => {
      try {
        builds.begin(uid, shape, lastFailure);
        return true;
      } catch (error) {
        if (error instanceof BackoffError) return false;
        throw error;
      }
    });
  return { clock, builds, begun };
}

function named(count: number, prefix = 'm'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

describe('servers of one shape', () => {
  test('are all requested immediately while none has failed', () => {
    const { begun } = start();

    expect(begun(named(1_000))).toHaveLength(1_000);
  });

  test('wait for the first one after a failure, then for one, two and four more', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    let waiting = named(40);
    const startedCounts = [begun(waiting).length];
    await clock.advance(PAUSE_MS);

    while (waiting.length > 0) {
      const round = begun(waiting);
      startedCounts.push(round.length);
      for (const uid of round) builds.succeeded(uid);
      waiting = waiting.filter((uid) => !round.includes(uid));
    }

    expect(startedCounts).toEqual([0, 1, 2, 4, 8, 16, 9]);
  });

  test('restart with one if another fails', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    await clock.advance(PAUSE_MS);
    const [one = ''] = begun(named(20, 'a'));
    builds.succeeded(one);
    const two = begun(named(20, 'b'));
    for (const uid of two) builds.failed(uid, SHAPE, fault);
    const startedDuringPause = begun(named(20, 'c'));
    await clock.advance(PAUSE_MS);

    expect(two).toHaveLength(2);
    expect(startedDuringPause).toEqual([]);
    expect(begun(named(20, 'c'))).toHaveLength(1);
  });

  test('do not speed up after successes that were requested before the failure', async () => {
    const { clock, builds, begun } = start();
    begun(named(20));
    builds.failed('m0', SHAPE, fault);
    for (const uid of named(20).slice(1)) builds.succeeded(uid);
    await clock.advance(PAUSE_MS);

    expect(begun(named(20, 'later'))).toHaveLength(1);
  });

  test('start with one if a new process reads the failure from the machines', () => {
    const { begun } = start();

    expect(begun(named(20), fault)).toHaveLength(1);
  });

  test('are not blocked forever by a build without an outcome, or by yesterday’s failure', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    await clock.advance(PAUSE_MS);
    begun(['stuck']);
    await clock.advance(900_000);
    const startedAfterStuck = begun(named(20));
    for (const uid of startedAfterStuck) builds.succeeded(uid);
    await clock.advance(24 * 3_600_000);

    expect(startedAfterStuck).toHaveLength(1);
    expect(begun(named(20, 'tomorrow'))).toHaveLength(20);
  });

  test('do not block servers of another shape', () => {
    const { builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);

    expect(begun(named(20), undefined, OTHER)).toHaveLength(20);
  });
});
