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
  /** Of so many machines, those that may be built now. */
  const begun = (machines: readonly string[], lastFault?: ProblemError, shape = SHAPE) =>
    machines.filter((uid) => {
      try {
        builds.begin(uid, shape, lastFault);
        return true;
      } catch (error) {
        if (error instanceof BackoffError) return false;
        throw error;
      }
    });
  return { clock, builds, begun };
}

function named(count: number, stem = 'm'): string[] {
  return Array.from({ length: count }, (_, index) => `${stem}${index}`);
}

describe('servers of one shape', () => {
  test('are all asked for at once while none has failed', () => {
    const { begun } = start();

    expect(begun(named(1_000))).toHaveLength(1_000);
  });

  test('that are not asked for yet wait for the first one after a failure, then for one, two and four more', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    let waiting = named(40);
    const rounds = [begun(waiting).length];
    await clock.advance(PAUSE_MS);

    while (waiting.length > 0) {
      const round = begun(waiting);
      rounds.push(round.length);
      for (const uid of round) builds.succeeded(uid);
      waiting = waiting.filter((uid) => !round.includes(uid));
    }

    expect(rounds).toEqual([0, 1, 2, 4, 8, 16, 9]);
  });

  test('begin again with one when one of them fails again', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    await clock.advance(PAUSE_MS);
    const [one = ''] = begun(named(20, 'a'));
    builds.succeeded(one);
    const two = begun(named(20, 'b'));
    for (const uid of two) builds.failed(uid, SHAPE, fault);
    const atOnce = begun(named(20, 'c'));
    await clock.advance(PAUSE_MS);

    expect(two).toHaveLength(2);
    expect(atOnce).toEqual([]);
    expect(begun(named(20, 'c'))).toHaveLength(1);
  });

  test('that were asked for before the failure let no more through when they succeed', async () => {
    const { clock, builds, begun } = start();
    begun(named(20));
    builds.failed('m0', SHAPE, fault);
    for (const uid of named(20).slice(1)) builds.succeeded(uid);
    await clock.advance(PAUSE_MS);

    expect(begun(named(20, 'later'))).toHaveLength(1);
  });

  test('begin with one in a process that reads of the failure on the machines', () => {
    const { begun } = start();

    expect(begun(named(20), fault)).toHaveLength(1);
  });

  test('are not held up forever by one that neither comes up nor fails, nor by a failure of yesterday', async () => {
    const { clock, builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);
    await clock.advance(PAUSE_MS);
    begun(['stuck']);
    await clock.advance(900_000);
    const afterStuck = begun(named(20));
    for (const uid of afterStuck) builds.succeeded(uid);
    await clock.advance(24 * 3_600_000);

    expect(afterStuck).toHaveLength(1);
    expect(begun(named(20, 'tomorrow'))).toHaveLength(20);
  });

  test('do not hold those of another shape up', () => {
    const { builds, begun } = start();
    begun(['first']);
    builds.failed('first', SHAPE, fault);

    expect(begun(named(20), undefined, OTHER)).toHaveLength(20);
  });
});
