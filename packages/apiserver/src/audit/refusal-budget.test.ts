import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { RefusalBudget } from './refusal-budget.ts';

function spendAll(budget: RefusalBudget, caller: string, tries: number): number {
  return Array.from({ length: tries }, () => budget.spend(caller)).filter(Boolean).length;
}

test('allows a burst of 500, then 10 a second', async () => {
  const clock = new FakeClock();
  const budget = new RefusalBudget(clock);

  expect(spendAll(budget, '', 2_000)).toBe(500);
  await clock.advance(3_000);
  expect(spendAll(budget, '', 2_000)).toBe(30);
  await clock.advance(3_600_000);
  expect(spendAll(budget, '', 2_000)).toBe(500);
});

test('gives each caller a separate budget', () => {
  const budget = new RefusalBudget(new FakeClock());
  spendAll(budget, 'mallory', 2_000);

  expect(budget.spend('alice')).toBe(true);
  expect(budget.spend('mallory')).toBe(false);
});

test('tracks a thousand callers and evicts the oldest first', () => {
  const budget = new RefusalBudget(new FakeClock());
  spendAll(budget, 'first', 500);
  for (let caller = 0; caller < 999; caller++) budget.spend(`caller-${caller}`);
  expect(budget.spend('first')).toBe(false);
  for (let caller = 0; caller < 1_000; caller++) budget.spend(`other-${caller}`);

  expect(budget.spend('first')).toBe(true);
});
