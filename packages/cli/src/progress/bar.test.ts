import { expect, test } from 'vitest';
import { barOf } from './bar.ts';

test.each([
  { done: 0, total: 10, bar: `[${'-'.repeat(20)}]` },
  { done: 3, total: 10, bar: `[${'#'.repeat(6)}${'-'.repeat(14)}]` },
  { done: 99, total: 100, bar: `[${'#'.repeat(19)}-]` },
  { done: 10, total: 10, bar: `[${'#'.repeat(20)}]` },
  { done: 12, total: 10, bar: `[${'#'.repeat(20)}]` },
  { done: -1, total: 10, bar: `[${'-'.repeat(20)}]` },
  { done: 0, total: 0, bar: `[${'-'.repeat(20)}]` },
])('a bar for $done of $total', ({ bar, ...progress }) => {
  expect(barOf(progress)).toBe(bar);
});
