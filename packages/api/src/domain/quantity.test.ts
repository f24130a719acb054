import { expect, test } from 'vitest';
import { compareQuantities } from './quantity.ts';

test.each([
  { a: '500m', b: '0.5', order: 0 },
  { a: '1', b: '999m', order: 1 },
  { a: '64Mi', b: '64M', order: 1 },
  { a: '1Gi', b: '1024Mi', order: 0 },
  { a: '1.5Ki', b: '1536', order: 0 },
  { a: '9Ei', b: '9.000000001Ei', order: -1 },
])('returns $order when comparing $a with $b', ({ a, b, order }) => {
  expect(compareQuantities(a, b)).toBe(order);
});

test.each(['lots', '', '-1', '1e3', '1 Gi'])('refuses the quantity "%s"', (text) => {
  expect(() => compareQuantities(text, '1')).toThrow('is not a quantity');
});
