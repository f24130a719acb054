import { expect, test } from 'vitest';
import { trimmed, trimmedEnd, trimmedStart } from './trim.ts';

test.each([
  { text: '//a/b//', chars: '/', both: 'a/b', start: 'a/b//', end: '//a/b' },
  { text: '-_.x', chars: '.-_', both: 'x', start: 'x', end: '-_.x' },
  { text: '///', chars: '/', both: '', start: '', end: '' },
  { text: '', chars: '/', both: '', start: '', end: '' },
  { text: 'a', chars: '', both: 'a', start: 'a', end: 'a' },
])('trims $text by $chars', ({ text, chars, both, start, end }) => {
  expect([trimmed(text, chars), trimmedStart(text, chars), trimmedEnd(text, chars)]).toEqual([both, start, end]);
});
