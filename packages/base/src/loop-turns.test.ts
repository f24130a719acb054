import { describe, expect, it } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/** An event loop driven by a test: each turn runs the callbacks deferred before it. */
class SteppedLoop {
  #deferred: (() => void)[] = [];
  readonly defer = (run: () => void) => void this.#deferred.push(run);

  async turn(): Promise<void> {
    for (const run of this.#deferred.splice(0)) run();
    await settled();
  }

  get isIdle(): boolean {
    return this.#deferred.length === 0;
  }
}

async function settled(): Promise<void> {
  for (let left = 5; left > 0; left--) await Promise.resolve();
}

/** The work that starts in each group of three turns if everything arrives in the first one. */
async function startedWork(arrivals: readonly (readonly [owner: string, count: number])[], turns: number) {
  const loop = new SteppedLoop();
  const entrance = new LoopTurns(loop.defer);
  const began: string[] = [];
  for (const [owner, count] of arrivals) {
    for (let index = 0; index < count; index++) void entrance.enter(owner).then(() => began.push(owner));
  }
  const seen: string[] = [];
  await settled();
  for (let turn = 0; turn < turns; turn++) {
    seen.push(began.splice(0).join(' '));
    for (let one = 0; one < 3; one++) await loop.turn();
  }
  return { seen, isIdle: loop.isIdle };
}

describe('LoopTurns', () => {
  it.each<[reason: string, Parameters<typeof startedWork>[0], string[]]>([
    ['a single piece of work begins at once', [['a', 1]], ['a', '']],
    ['one piece begins every three turns', [['a', 3]], ['a', 'a', 'a', '']],
    [
      'owners take turns, no matter how much work one of them has',
      [
        ['a', 5],
        ['b', 1],
        ['c', 2],
      ],
      ['a', 'a', 'b', 'c', 'a', 'c', 'a', 'a'],
    ],
  ])('starts work: %s', async (_, arrivals, expected) => {
    const { seen } = await startedWork(arrivals, expected.length);
    expect(seen).toEqual(expected);
  });

  it('keeps no state afterwards', async () => {
    const { isIdle } = await startedWork([['a', 2]], 5);
    expect(isIdle).toBe(true);
  });

  it('starts immediately again once the turns have passed', async () => {
    const loop = new SteppedLoop();
    const entrance = new LoopTurns(loop.defer);
    await entrance.enter('a');
    while (!loop.isIdle) await loop.turn();
    let hasStarted = false;
    void entrance.enter('b').then(() => {
      hasStarted = true;
    });
    await settled();
    expect(hasStarted).toBe(true);
  });
});
