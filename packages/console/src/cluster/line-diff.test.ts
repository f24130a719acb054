import { describe, expect, test } from 'vitest';
import { hunks, lineDiff } from './line-diff.ts';

const SIGN = { same: ' ', added: '+', removed: '-' } as const;

function shown(before: string, after: string): string[] {
  return lineDiff(before, after).map(({ kind, text }) => `${SIGN[kind]}${text}`);
}

describe('the difference between two texts', () => {
  test.each([
    { before: 'a\nb\nc', after: 'a\nb\nc', expected: [' a', ' b', ' c'] },
    { before: 'a\nb\nc', after: 'a\nx\nc', expected: [' a', '-b', '+x', ' c'] },
    { before: 'a\nc', after: 'a\nb\nc', expected: [' a', '+b', ' c'] },
    { before: 'a\nb\nc\nd', after: 'b\nd\ne', expected: ['-a', ' b', '-c', ' d', '+e'] },
  ])('from $before to $after', ({ before, after, expected }) => {
    expect(shown(before, after)).toEqual(expected);
  });

  test('shows a few lines around a change, and marks omitted lines', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
    const lines = hunks(lineDiff(before, before.replace('10', 'ten')), 1);

    expect(lines.map((line) => line && `${SIGN[line.kind]}${line.text}`)).toEqual([
      ' 9',
      '-10',
      '+ten',
      ' 11',
      undefined,
    ]);
  });
});
