import { expect, test } from 'vitest';
import { truncate } from './truncate.ts';

test.each([
  { message: '', maxLength: 5, cutTo: '' },
  { message: 'short', maxLength: 5, cutTo: 'short' },
  { message: 'longer', maxLength: 5, cutTo: 'lo...' },
])('truncates $message', ({ message, maxLength, cutTo }) => {
  expect(truncate(message, maxLength)).toBe(cutTo);
});
