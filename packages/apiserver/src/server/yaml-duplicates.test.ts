import { expect, it } from 'vitest';
import { duplicateKeysMessage } from './yaml-duplicates.ts';

const LONG = 'k'.repeat(5000);

it.each<[string, string, readonly string[]]>([
  ['nothing for unique keys', 'a: 1\nb: {a: 1}\nc: [{a: 1}, {a: 1}]', []],
  ['scalars', 'a: 1\nb: 2\n"a": 3', ['line 3: key "a"']],
  ['a key that occurs three times', 'a: 1\na: 2\na: 3', ['line 2: key "a"', 'line 3: key "a"']],
  ['keys of maps in lists', 'l:\n- a: 1\n  a: 2\n- b: 1\n  b: 2', ['line 3: key "a"', 'line 5: key "b"']],
  [
    'nested duplicates before the key that contains them',
    'a: 1\na:\n  b: 1\n  b: 2',
    ['line 4: key "b"', 'line 3: key "a"'],
  ],
  ['keys in flow style', '{a: 1,\n b: [{c: 1, c: 2}],\n a: 1}', ['line 2: key "c"', 'line 3: key "a"']],
  ['the key of a block scalar', 'a: 1\nb: 1\na: |\n  text\n', ['line 3: key "a"']],
  ['a key without a value', 'a: 1\na:\nb: 1', ['line 2: key "a"']],
  ['anchored keys, but no keys that are not scalars', '&k a: 1\n? [x]\n: 1\n? [x]\n: 2\na: 1', ['line 6: key "a"']],
  ['long keys in truncated form', `${LONG}: 1\n${LONG}: 2`, [`line 2: key "${'k'.repeat(100)}…"`]],
])('reports %s', (_, text, found) => {
  const lines = found.map((one) => `  ${one} already set in map`);
  const message = duplicateKeysMessage(text, {});

  expect(message?.split('\n') ?? []).toEqual(lines.length === 0 ? [] : ['yaml: unmarshal errors:', ...lines]);
});

it('reports at most a hundred keys', () => {
  const lines = duplicateKeysMessage('a: 1\n'.repeat(30_000), {})?.split('\n') ?? [];

  expect(lines).toHaveLength(102);
  expect(lines.at(-1)).toBe('  and 29899 more');
});
