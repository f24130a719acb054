import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliQuantityOf,
  milliUnitsOf,
  parseQuantity,
  quantityOf,
  subtractQuantities,
  tryParseQuantity,
} from './quantity.ts';

describe('quantities', () => {
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['1', '1'],
    [2, '2'],
    [1.5, '1500m'],
    ['1.5', '1500m'],
    ['0.5', '500m'],
    ['.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['1024Ki', '1Mi'],
    ['1000Ki', '1000Ki'],
    ['1023', '1023'],
    ['1000', '1k'],
    ['1000m', '1'],
    ['100000m', '100'],
    ['1500k', '1500k'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e6', '12e6'],
    ['1.2e3', '1200'],
    ['1E', '1E'],
    ['3Ei', '3Ei'],
    ['9999Ei', '9223372036854775807'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['-1.5', '-1500m'],
    ['+7', '7'],
    ['0.3Ki', '307200m'],
    ['1.', '1'],
    [' 1Gi ', '1Gi'],
  ])('%j is %s', (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  it.each(['', '-', '.', '1.1.1', 'a', '1 Gi', '1GiB', '1ki', '1e', '1e99999', '1mi', '0x10'])('refuses %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(/quantit/);
    expect(tryParseQuantity(text)).toBeUndefined();
  });

  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1G', 1],
    ['500m', '1', -1],
    ['1e3', '1k', 0],
  ])('compares %s with %s as %d', (left, right, order) => {
    expect(compareQuantities(parseQuantity(left), parseQuantity(right))).toBe(order);
  });

  it('keeps the format of the first operand unless it is zero', () => {
    const sum = (left: string, right: string) =>
      formatQuantity(addQuantities(parseQuantity(left), parseQuantity(right)));
    const difference = (left: string, right: string) =>
      formatQuantity(subtractQuantities(parseQuantity(left), parseQuantity(right)));
    expect(sum('1Gi', '1024Mi')).toBe('2Gi');
    expect(sum('0', '1Gi')).toBe('1Gi');
    expect(sum('250m', '0.75')).toBe('1');
    expect(difference('1Gi', '256Mi')).toBe('768Mi');
    expect(difference('1', '1500m')).toBe('-500m');
  });

  it('rounds units away from zero, as the scheduler counts them', () => {
    expect(milliUnitsOf(parseQuantity('0.0001'))).toBe(1);
    expect(formatQuantity(quantityOf(2 ** 31, 'BinarySI'))).toBe('2Gi');
    expect(formatQuantity(milliQuantityOf(3920))).toBe('3920m');
  });

  it('refuses text that is longer than any quantity', () => {
    expect(() => parseQuantity('1'.repeat(65))).toThrow('quantities must be no more than 64 characters');
    expect(tryParseQuantity(`1${'0'.repeat(63)}`)).toBeDefined();
  });

  it('parses what it formats', () => {
    const formats = fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const);
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), formats, (nanos, format) => {
        const text = formatQuantity({ nanos, format });
        expect(parseQuantity(text).nanos).toBe(nanos);
        expect(formatQuantity(parseQuantity(text))).toBe(text);
      }),
    );
  });
});
