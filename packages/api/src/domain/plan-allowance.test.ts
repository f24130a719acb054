import { describe, expect, test } from 'vitest';
import { aPlan } from '../testing/objects.ts';
import { allowanceProblem, matches } from './plan-allowance.ts';

describe('a pattern', () => {
  test.each([
    { pattern: 'b3-8', text: 'b3-8', is: true },
    { pattern: 'b3-8', text: 'b3-80', is: false },
    { pattern: 'b3-*', text: 'b3-', is: true },
    { pattern: '*-8', text: 'b3-8', is: true },
    { pattern: 'b*-*8', text: 'b3-b-8-8', is: true },
    { pattern: '*', text: '', is: true },
    { pattern: 'a.c', text: 'abc', is: false, reason: 'it is no regular expression' },
    { pattern: '**b', text: 'aab', is: true },
    { pattern: 'a', text: 'A', is: false, reason: 'OpenStack tells upper from lower case' },
  ])('$pattern is $is for $text', ({ pattern, text, is }) => {
    expect(matches(pattern, text)).toBe(is);
  });

  test('of many stars does not explode', () => {
    const pattern = `${'a*'.repeat(120)}b`;

    expect(matches(pattern, 'a'.repeat(100_000))).toBe(false);
  });
});

const ID = '11111111-0000-4000-8000-000000000000';
const OTHER = '22222222-0000-4000-8000-000000000000';

describe('a plan', () => {
  const plan = aPlan({ allowed: { flavors: ['b3-*', 'd2-4'] } });

  test('allows what any of the names matches, and everything where it has no list', () => {
    expect(allowanceProblem(plan, 'flavors', { id: ID, name: 'b3-8' })).toBeUndefined();
    expect(allowanceProblem(plan, 'images', { id: 'anything' })).toBeUndefined();
  });

  test.each([
    { id: ID, name: 'anything', isAllowed: true },
    { id: OTHER, name: ID, isAllowed: false, reason: 'the tenant called an image like the id of another' },
    { id: OTHER, name: 'Debian 12', isAllowed: true },
    { id: 'Debian 12', name: 'Debian 12', isAllowed: true, reason: 'not known, and found later by what is written' },
  ])('that lists an image by id and one by name, allows $id called $name: $isAllowed', ({ id, name, isAllowed }) => {
    const byId = aPlan({ allowed: { images: [ID, 'Debian 12'] } });

    expect(allowanceProblem(byId, 'images', { id, name }) === undefined).toBe(isAllowed);
  });

  test('says what it does allow', () => {
    expect(allowanceProblem(plan, 'flavors', { id: 'c3-8' })).toBe(
      'plan "free" allows the flavors "b3-*", "d2-4": choose one of them, or another plan',
    );
  });
});
