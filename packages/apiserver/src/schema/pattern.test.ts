import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, isCompiled, PatternError } from './pattern.ts';

describe('patterns', () => {
  it.each<[string, string, boolean]>([
    ['b+', 'abbc', true],
    ['^b+$', 'abbc', false],
    ['^\\pL+$', 'Größe', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^\\p{Greek}+$', 'abc', false],
    ['(?i)^abc$', 'ABC', true],
    ['a(?i)b', 'aB', true],
    ['a(?i)b', 'AB', false],
    ['\\Aab\\z', 'ab', true],
    ['^[[:alpha:]]+$', 'ab1', false],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\x{1F600}$', '\u{1F600}', true],
    ['^.$', '\u{1F600}', true],
    ['a$', 'a\n', false],
    ['(?m)^a$', 'b\na', true],
    ['^https:\\/\\/[^?#@\\s]+$', 'https://example.com', true],
    ['^(?P<first>a)(?<second>b)$', 'ab', true],
  ])('match as in Go: %s on %s', (pattern, text, expected) => {
    expect(compilePattern(pattern).test(text)).toBe(expected);
  });

  it.each<[string, string]>([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['(a{1000}){1000}', 'error parsing regexp: invalid repeat count: `{1000}`'],
    [`${'('.repeat(1500)}a${')'.repeat(1500)}`, 'error parsing regexp: expression nests too deeply'],
    ['a'.repeat(4097), 'the pattern has 4097 characters, the limit is 4096'],
    ['[a-c]{900}'.repeat(6), 'the pattern compiles to 5402 instructions, the limit is 5000: repeat less in it'],
  ])('are rejected: %s', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(new PatternError(message));
  });

  it("match like JavaScript's patterns where the syntax is the same", () => {
    const patterns = [
      '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
      '^([0-9]+h)?([0-9]+m)?([0-9]+s)?$',
      '^(?:a|ab)(?:c|bcd)(?:d*)$',
      '[^a-c]b{2,3}?c',
      '\\ba\\b|\\Bc\\B',
    ];
    const text = fc.string({ unit: fc.constantFrom(...'abcd0-.hms '.split('')), maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, (pattern, value) => {
        expect(compilePattern(pattern).test(value)).toBe(new RegExp(pattern).test(value));
      }),
    );
  });

  it('find matches from the left', () => {
    const pattern = compilePattern('a+|b');
    expect(pattern.findAll('xaabxa', Number.POSITIVE_INFINITY)).toEqual(['aa', 'b', 'a']);
    expect(pattern.findAll('xaabxa', 2)).toEqual(['aa', 'b']);
    expect(pattern.findAll('x', 1)).toEqual([]);
  });

  it('are cached, up to the last hundred', () => {
    compilePattern('remembered');
    for (let index = 0; index < 99; index++) compilePattern(`other-${index}`);
    expect(isCompiled('remembered')).toBe(true);
    compilePattern('one-more');
    expect(isCompiled('remembered')).toBe(false);
  });

  it('are cached in smaller numbers if they are large', () => {
    compilePattern('small');
    for (let index = 0; index < 5; index++)
      compilePattern(`[a-c]{900}[a-c]{900}[a-c]{900}[a-c]{900}[a-c]{900}${index}`);
    expect(isCompiled('small')).toBe(false);
    expect(isCompiled('[a-c]{900}[a-c]{900}[a-c]{900}[a-c]{900}[a-c]{900}4')).toBe(true);
  });
});
