import { expect, it } from 'vitest';
import { plain, plainName } from './plain.ts';

it.each([
  { what: 'a bidirectional override', text: 'gpj\u202etxt', seen: 'gpj\\u202etxt' },
  { what: 'an unterminated isolate', text: 'a\u2067b', seen: 'a\\u2067b' },
  { what: 'a control character', text: 'a\u0000\u001b[2Jb', seen: 'a\\u0000\\u001b[2Jb' },
  { what: 'a zero-width character', text: 'sh\u200bop', seen: 'sh\\u200bop' },
  { what: 'a tag character', text: 'a\u{e0041}', seen: 'a\\udb40\\udc41' },
  { what: 'lines', text: 'a\n\tb', seen: 'a\n\tb' },
  { what: 'letters and emoji', text: 'Zoë 王 👩‍🚀', seen: 'Zoë 王 👩‍🚀' },
])('handles $what', ({ text, seen }) => {
  expect(plain(text)).toBe(seen);
});

it.each(['דנה', 'dana', 'a\u202eb', 'a\u2068b\u2069c', '\u2068\u2068דנה\u2069', 'דנה\u2068דנה\u2069'])(
  'is idempotent for nested sentences: %j',
  (name) => {
    const sentence = `by ${plainName(name)}`;

    expect(plainName(sentence)).toBe(sentence);
    expect(plain(plain(name))).toBe(plain(name));
  },
);

it('takes linear time for unterminated isolates', () => {
  const text = '\u2068a'.repeat(200_000);

  expect(plain(text)).toHaveLength(text.length + 200_000 * 5);
});

it('isolates a right-to-left name from its sentence', () => {
  expect(plainName('דנה')).toBe('\u2068דנה\u2069');
  expect(plainName('dana')).toBe('dana');
});
