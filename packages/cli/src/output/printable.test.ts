import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test.each([
  { text: 'plain größer 日本 🚢', shown: 'plain größer 日本 🚢' },
  { text: 'two\nlines\tand a tab', shown: 'two\nlines\tand a tab' },
  { text: '\u001b[2J\u001b]0;title\u0007', shown: '^[[2J^[]0;title^G' },
  { text: 'over\rwritten', shown: 'over^Mwritten' },
  { text: '\u009b31m', shown: '\\u009b31m' },
  { text: 'abc\u202ecba', shown: 'abc\\u202ecba' },
  { text: '\u007f', shown: '\\u007f' },
])('shows $text as $shown', ({ text, shown }) => {
  expect(printable(text)).toBe(shown);
});
