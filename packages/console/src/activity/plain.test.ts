import { expect, it } from 'vitest';
import { plain, plainName } from './plain.ts';

it.each([
  { what: 'an override', text: 'gpj\u202etxt', seen: 'gpj\\u202etxt' },
  { what: 'an isolate that nobody ends', text: 'a\u2067b', seen: 'a\\u2067b' },
  { what: 'a control', text: 'a\u0000\u001b[2Jb', seen: 'a\\u0000\\u001b[2Jb' },
  { what: 'nothing wide', text: 'sh\u200bop', seen: 'sh\\u200bop' },
  { what: 'a tag', text: 'a\u{e0041}', seen: 'a\\udb40\\udc41' },
  { what: 'lines', text: 'a\n\tb', seen: 'a\n\tb' },
  { what: 'letters and emoji', text: 'Zoë 王 👩‍🚀', seen: 'Zoë 王 👩‍🚀' },
])('shows $what', ({ text, seen }) => {
  expect(plain(text)).toBe(seen);
});

it('keeps a name that is read from the right apart from its sentence', () => {
  expect(plainName('דנה')).toBe('\u2068דנה\u2069');
  expect(plainName('dana')).toBe('dana');
});
