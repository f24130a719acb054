import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeFieldValue, matchesFields, parseFieldSelector, requiredFieldValue } from './field-selector.ts';

describe('field selectors', () => {
  const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'Running', odd: 'x,y=z\\' };
  it.each([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['metadata.name=a,status.phase!=Running', false],
    ['metadata.name=a,,status.phase=Running,', true],
    ['spec.nodeName=', true],
    ['odd=x\\,y\\=z\\\\', true],
  ])('%j is %s', (text, expected) => {
    expect(matchesFields(parseFieldSelector(text), (field) => fields[field] ?? '')).toBe(expected);
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('reads back any escaped value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const terms = parseFieldSelector(`a=${escapeFieldValue(value)},b!=1`);
        expect(requiredFieldValue(terms, 'a')).toBe(value);
        expect(requiredFieldValue(terms, 'b')).toBeUndefined();
      }),
    );
  });
});
