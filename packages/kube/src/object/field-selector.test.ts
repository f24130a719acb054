import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector, requiredFieldValue } from './field-selector.ts';

describe('field selectors', () => {
  it.each([
    ['', []],
    ['metadata.name=a', ['metadata.name is a']],
    ['metadata.name==a', ['metadata.name is a']],
    ['metadata.name!=a', ['metadata.name is not a']],
    ['metadata.name=a,status.phase!=Running', ['metadata.name is a', 'status.phase is not Running']],
    ['metadata.name=a,,status.phase=Running,', ['metadata.name is a', 'status.phase is Running']],
    ['spec.nodeName=', ['spec.nodeName is ']],
    ['odd=x\\,y\\=z\\\\', ['odd is x,y=z\\']],
  ])('parses %j', (text, expected) => {
    const terms = parseFieldSelector(text);
    expect(terms.map(({ field, negated, value }) => `${field} is ${negated ? 'not ' : ''}${value}`)).toEqual(expected);
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('parses any escaped value back', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const terms = parseFieldSelector(`a=${value.replaceAll(/[\\,=]/g, '\\$&')},b!=1`);
        expect(requiredFieldValue(terms, 'a')).toBe(value);
        expect(requiredFieldValue(terms, 'b')).toBeUndefined();
      }),
    );
  });
});
