import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, mayRunMore } from './fair-queue.ts';

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

const ownerOf = (item: string) => item.slice(0, 1);

describe('a fair queue', () => {
  test.each([
    { added: 'a1 a2 a3 b1', taken: 'a1 b1 a2 a3', reason: 'b waits for one item of a, not for all' },
    { added: 'a1 a2 b1 b2 c1', taken: 'a1 b1 c1 a2 b2', reason: 'owners are served round-robin' },
    { added: 'a1 a2 a3', taken: 'a1 a2 a3', reason: 'items of one owner keep their order' },
  ])('takes $added in the order $taken: $reason', ({ added, taken }) => {
    const queue = new FairQueue<string>();
    for (const item of added.split(' ')) queue.add(ownerOf(item), item);

    expect(queue.size).toBe(added.split(' ').length);
    expect(takeAll(queue).join(' ')).toBe(taken);
    expect(queue.size).toBe(0);
  });

  test.each([
    { places: 1, runs: 1, reason: 'a single slot is available to every owner' },
    { places: 2, runs: 1, reason: 'the last of several slots is reserved for other owners' },
    { places: 3, runs: 2, reason: 'the last of several slots is reserved for other owners' },
    { places: 10, runs: 8, reason: 'three quarters of the slots' },
    { places: 20, runs: 15, reason: 'three quarters of the slots' },
    { places: 50, runs: 38, reason: 'three quarters of the slots' },
  ])('limits a single owner of $places slots to $runs: $reason', ({ places, runs }) => {
    const queue = new FairQueue<string>(places);
    for (let index = 0; index < 100; index++) queue.add('a', `a${index}`);
    expect(takeAll(queue)).toHaveLength(runs);

    queue.add('b', 'b0');
    expect(queue.take()).toBe(places > 1 ? 'b0' : undefined);
    queue.done('a');
    queue.done('b');
    expect(takeAll(queue).length).toBeGreaterThan(0);
  });

  test('gives any free slot to an owner without running items', () => {
    expect(mayRunMore(0, 1)).toBe(true);
    expect(mayRunMore(0, 0)).toBe(false);
    expect(mayRunMore(1, 1)).toBe(false);
  });

  test('neither loses nor duplicates items, and never exceeds its slots', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), isTake: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (steps, slots) => {
        const queue = new FairQueue<string>(slots);
        const added: string[] = [];
        const taken: string[] = [];
        const running: string[] = [];
        for (const [index, { owner, isTake }] of steps.entries()) {
          if (!isTake) added.push(`${owner}${index}`);
          if (!isTake) queue.add(owner, `${owner}${index}`);
          const item = isTake ? queue.take() : undefined;
          if (item !== undefined) {
            taken.push(item);
            running.push(item);
          } else if (isTake && running.length > 0) queue.done(ownerOf(running.shift() ?? ''));
          expect(queue.running).toBe(running.length);
          expect(running.length).toBeLessThanOrEqual(slots);
        }
        for (let guard = 0; queue.size > 0 && guard < 1_000; guard++) {
          const item = queue.take();
          if (item === undefined) queue.done(ownerOf(running.shift() ?? ''));
          else {
            taken.push(item);
            running.push(item);
          }
        }
        expect(taken.toSorted()).toEqual(added.toSorted());
        for (const owner of ['a', 'b', 'c']) {
          const of = (items: readonly string[]) => items.filter((item) => ownerOf(item) === owner);
          expect(of(taken)).toEqual(of(added));
        }
      }),
    );
  });

  test('takes constant time with a hundred thousand items and a thousand owners', () => {
    const queue = new FairQueue<number>(50);
    const total = 200_000;
    for (let index = 0; index < total; index++) queue.add(`owner-${index % 3 === 0 ? 0 : index % 1_000}`, index);
    let taken = 0;
    const running: string[] = [];
    while (taken < total) {
      const item = queue.take();
      if (item === undefined) queue.done(running.shift() ?? '');
      else {
        taken++;
        running.push(`owner-${item % 3 === 0 ? 0 : item % 1_000}`);
      }
    }
    // If each step were linear in the queue, this would take 10¹⁰ operations.
    expect(taken).toBe(total);
  });
});
