import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { compileLabelSelector, formatLabelMatcher, matchesLabels, parseLabelSelector } from './selector.ts';

/** The canonical text of a selector, or the ApiError that rejects it. */
function printed(text: string): string | ApiError {
  try {
    return formatLabelMatcher(parseLabelSelector(text));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('label selectors as text', () => {
  it.each([
    ['', {}, true],
    ['a=1', { a: '1' }, true],
    ['a=1', { a: '2' }, false],
    ['a==1', { a: '1' }, true],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['! a', { a: '1' }, false],
    ['a in (1, 2)', { a: '2' }, true],
    ['a in (1,2)', {}, false],
    ['a notin (1,2)', {}, true],
    ['a notin (1,2)', { a: '1' }, false],
    ['a in (,1)', { a: '' }, true],
    ['a in ()', { a: '' }, true],
    ['a=', { a: '' }, true],
    ['a=,b=2', { a: '', b: '2' }, true],
    ['a>4', { a: '5' }, true],
    ['a<4', { a: '5' }, false],
    ['a>4', { a: 'many' }, false],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['example.com/a=1,b!=2 , !c', { 'example.com/a': '1' }, true],
    ['toString', {}, false],
  ])('%j on %j is %s', (text, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=1,', "found '', expected: identifier after ','"],
    ['a=1 b', "found 'b', expected: ',' or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a in 1', "unable to parse requirement: found '1' expected: '('"],
    ['a in (1', "unable to parse requirement: found '', expected: ',' or ')'"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['a=-', 'unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must be an empty string or'],
    ['a/b/c', 'unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of'],
    ['a===1', "unable to parse requirement: found '=', expected: identifier"],
  ])('refuses %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it('formats what it parses', () => {
    for (const text of ['a', '!b', 'c=1', 'd in (x,y)', 'e notin (z)', 'f!=2', 'g>3', 'a,b=1,c in (2,3)']) {
      expect(formatLabelMatcher(parseLabelSelector(text))).toBe(text);
    }
  });

  it('parses any text into a matcher or throws BadRequest', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab=!(),>< in')), maxLength: 20 }), (text) => {
        const once = printed(text);
        expect(once instanceof ApiError ? once.code : printed(once)).toBe(once instanceof ApiError ? 400 : once);
      }),
    );
  });
});

describe('LabelSelector objects', () => {
  it.each([
    [undefined, { a: '1' }, false],
    [null, {}, false],
    [{}, { a: '1' }, true],
    [{ matchLabels: { a: '1' } }, { a: '1', b: '2' }, true],
    [{ matchLabels: { a: '1', b: '1' } }, { a: '1', b: '2' }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, { a: '2' }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, {}, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, {}, false],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, {}, true],
  ])('%j on %j is %s', (selector, labels, expected) => {
    expect(matchesLabels(compileLabelSelector(selector), labels)).toBe(expected);
  });

  it('rejects invalid operators and value counts', () => {
    const withOperator = (operator: string) => ({ matchExpressions: [{ key: 'a', operator }] });
    expect(() => compileLabelSelector(withOperator('Near'))).toThrow('"Near" is not a valid label selector operator');
    expect(() => compileLabelSelector(withOperator('In'))).toThrow("values set can't be empty");
  });
});
