import { expect, test } from 'vitest';
import { handOf } from './shuffle-sharding.ts';

test('gives a flow the same few queues each time, and different queues with a different seed', () => {
  const hand = handOf(1, 'alice', 128, 6);

  expect(new Set(hand).size).toBe(6);
  expect(handOf(1, 'alice', 128, 6)).toEqual(hand);
  expect(handOf(2, 'alice', 128, 6)).not.toEqual(hand);
  expect(handOf(1, 'alice', 6, 6).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('spreads flows over all queues, and hardly any two flows share all of theirs', () => {
  const uses = Array.from({ length: 64 }, () => 0);
  const hands = new Set<string>();
  for (let flow = 0; flow < 10_000; flow++) {
    const hand = handOf(7, `system:serviceaccount:a:${flow}`, 64, 4);
    for (const queue of hand) uses[queue] = (uses[queue] ?? 0) + 1;
    hands.add(hand.toSorted((a, b) => a - b).join());
  }

  // 625 flows each.
  expect(Math.min(...uses)).toBeGreaterThan(500);
  expect(Math.max(...uses)).toBeLessThan(750);
  // With 635,376 possible hands, 10,000 flows have about 9,922 distinct ones.
  expect(hands.size).toBeGreaterThan(9_800);
});
