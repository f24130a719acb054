import { expect, test } from 'vitest';
import { cut } from './cut.ts';

test.each([
  { message: '', maxLength: 5, cutTo: '' },
  { message: 'short', maxLength: 5, cutTo: 'short' },
  { message: 'longer', maxLength: 5, cutTo: 'lo...' },
])('$message', ({ message, maxLength, cutTo }) => {
  expect(cut(message, maxLength)).toBe(cutTo);
});
