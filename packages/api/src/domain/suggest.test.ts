import { describe, expect, it } from 'vitest';
import { suggest } from './suggest.ts';

describe('suggest', () => {
  it.each([
    ['b3-9', ['b3-8', 'b3-16', 'r3-128'], 'did you mean "b3-8" or "b3-16"?'],
    ['B3-8', ['b3-8'], 'did you mean "b3-8"?'],
    ['ubuntu', ['Ubuntu 22.04', 'ubuntu-24.04'], 'did you mean "ubuntu-24.04"?'],
    ['nothing-like-it', ['b3-8', 'b3-16'], 'there are "b3-8", "b3-16"'],
    ['nothing-like-it', ['b3-8'], 'there is "b3-8"'],
    ['x', [], ''],
  ])('suggests for %s from %j: %s', (wrong, candidates, expected) => {
    expect(suggest(wrong, candidates)).toBe(expected);
  });

  it('does not list hundreds of names', () => {
    const candidates = Array.from({ length: 50 }, (_, index) => `flavor-number-${index}`);
    expect(suggest('zzz', candidates)).toMatch(/"flavor-number-9" and 40 more$/);
  });

  it('compares only a bounded number of characters', () => {
    const wrong = 'a'.repeat(255);
    const misspelt = `${'a'.repeat(254)}b`;
    const others = Array.from({ length: 10_000 }, (_, index) => `${index}`.padEnd(255, '-'));

    expect(suggest(wrong, [misspelt, ...others])).toBe(`did you mean "${misspelt}"?`);
    expect(suggest(wrong, [...others, misspelt])).toMatch(/ and 9991 more$/);
  });
});
