import { expect, test } from 'vitest';
import { SeatDemand } from './seat-demand.ts';

const PERIOD_MS = 10_000;

test('rises immediately with demand, and decays by half in five minutes', () => {
  const demand = new SeatDemand(0);
  demand.set(20, 0);
  demand.settle(PERIOD_MS, 1);
  expect([demand.highest, demand.smoothed]).toEqual([20, 20]);

  demand.set(0, PERIOD_MS);
  demand.settle(2 * PERIOD_MS, 1);
  expect(demand.highest).toBe(20);
  expect(demand.smoothed).toBeCloseTo(19.5, 1);
  for (let period = 3; period <= 31; period++) demand.settle(period * PERIOD_MS, 1);
  expect(demand.highest).toBe(0);
  expect(demand.smoothed).toBeCloseTo(10, 0);
});

test('treats thirty quiet periods that end together like thirty in succession', () => {
  const demand = new SeatDemand(0);
  demand.set(20, 0);
  demand.settle(PERIOD_MS, 1);
  demand.set(0, PERIOD_MS);
  demand.settle(31 * PERIOD_MS, 30);

  expect(demand.smoothed).toBeCloseTo(10, 0);
});

test('adds the deviation to the average, but never exceeds the peak', () => {
  const demand = new SeatDemand(0);
  demand.set(40, 0);
  demand.set(0, 1000);
  demand.settle(PERIOD_MS, 1);

  // 4 on average, with a deviation of 12.
  expect([demand.highest, demand.smoothed]).toEqual([40, 16]);
});
