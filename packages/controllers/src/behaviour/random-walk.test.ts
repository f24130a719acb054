import { describe, expect, test } from 'vitest';
import { nodeUsageErrors } from '../testing/usage-truth.ts';
import { nextEvent } from '../testing/walk/events.ts';
import { Walk } from '../testing/walk/walk.ts';

const EVENTS = 30;
const MINUTE_MS = 60_000;
/** Longer than the longest drain, repair and backoff in a row. */
const SETTLE_TIME_MS = 6 * 60 * MINUTE_MS;

/** Additional seeds: `WALK_SEEDS=7,8,9`. */
const SEEDS = (process.env.WALK_SEEDS ?? '1,3').split(',').map(Number);

describe('a random day', () => {
  test.each(SEEDS)('seed %i: no limit is exceeded, everything converges, and nothing is left over', async (seed) => {
    await using walk = await Walk.start(seed);
    for (let count = 0; count < EVENTS; count++) {
      const done = await nextEvent(walk).apply(walk);
      if (done !== undefined) walk.note(done);
      await walk.pass(Math.ceil(walk.random() * 20) * MINUTE_MS);
    }
    walk.fairway.cloud.faults.clear();
    await walk.wake();
    walk.note('rest');
    await walk.pass(SETTLE_TIME_MS);

    expectNoProblems(walk, walk.witness.violations);
    expectNoProblems(walk, walk.budget.violations);
    expectNoProblems(walk, await walk.unsettledProblems());

    await walk.deleteAll();
    await walk.pass(60 * MINUTE_MS);
    expectNoProblems(walk, walk.leftovers());
    expectNoProblems(walk, await nodeUsageErrors(walk.fairway, walk.usage));
  });
});

/** Expects no problems; a failure prints the log of events. */
function expectNoProblems({ log }: Walk, problems: readonly string[]): void {
  expect(problems.length === 0 ? [] : [...log, ...problems]).toEqual([]);
}
