import { expect, it } from 'vitest';
import { compareMicroversions, negotiateMicroversion } from './microversion.ts';

it.each([
  ['2.9', '2.10', -1],
  ['2.90', '2.90', 0],
  ['3.0', '2.99', 1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareMicroversions(a, b))).toBe(sign);
});

it.each([
  { wanted: '2.90', range: { min: '2.1', max: '2.93' }, spoken: '2.90', reason: 'the service supports it' },
  { wanted: '2.90', range: { min: '2.1', max: '2.79' }, spoken: '2.79', reason: 'the service is older' },
  { wanted: '2.90', range: undefined, spoken: undefined, reason: 'the service has none' },
])('uses $spoken: $reason', ({ wanted, range, spoken }) => {
  expect(negotiateMicroversion(wanted, range)).toBe(spoken);
});
