import { describe, expect, test } from 'vitest';
import { aPlan } from '../testing/objects.ts';
import { allowanceProblem, matches } from './plan-allowance.ts';

describe('matches', () => {
  test.each([
    { pattern: 'b3-8', text: 'b3-8', is: true },
    { pattern: 'b3-8', text: 'b3-80', is: false },
    { pattern: 'b3-*', text: 'b3-', is: true },
    { pattern: '*-8', text: 'b3-8', is: true },
    { pattern: 'b*-*8', text: 'b3-b-8-8', is: true },
    { pattern: '*', text: '', is: true },
    { pattern: 'a.c', text: 'abc', is: false, reason: 'patterns are not regular expressions' },
    { pattern: '**b', text: 'aab', is: true },
    { pattern: 'a', text: 'A', is: false, reason: 'OpenStack names are case-sensitive' },
  ])('returns $is for pattern $pattern and text $text', ({ pattern, text, is }) => {
    expect(matches(pattern, text)).toBe(is);
  });

  test('handles many wildcards in a reasonable time', () => {
    const pattern = `${'a*'.repeat(120)}b`;

    expect(matches(pattern, 'a'.repeat(100_000))).toBe(false);
  });
});

const ID = '11111111-0000-4000-8000-000000000000';
const OTHER_ID = '22222222-0000-4000-8000-000000000000';

describe('allowanceProblem', () => {
  const plan = aPlan({ allowed: { flavors: ['b3-*', 'd2-4'] } });

  test('allows values that match any pattern, and all values without a list', () => {
    expect(allowanceProblem(plan, 'flavors', { id: ID, name: 'b3-8' })).toBeUndefined();
    expect(allowanceProblem(plan, 'images', { id: 'anything' })).toBeUndefined();
  });

  test.each([
    { id: ID, name: 'anything', isAllowed: true },
    { id: OTHER_ID, name: ID, isAllowed: false, reason: 'another tenant named an image after a listed ID' },
    { id: OTHER_ID, name: 'Debian 12', isAllowed: true },
    {
      id: 'Debian 12',
      name: 'Debian 12',
      isAllowed: true,
      reason: 'the ID is unknown, so the value of the user is matched',
    },
  ])('matches image $id named $name by ID and by name: $isAllowed', ({ id, name, isAllowed }) => {
    const byId = aPlan({ allowed: { images: [ID, 'Debian 12'] } });

    expect(allowanceProblem(byId, 'images', { id, name }) === undefined).toBe(isAllowed);
  });

  test('lists the allowed values', () => {
    expect(allowanceProblem(plan, 'flavors', { id: 'c3-8' })).toBe(
      'plan "free" allows the flavors "b3-*", "d2-4": choose one of them, or another plan',
    );
  });
});
