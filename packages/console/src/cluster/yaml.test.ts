import { expect, it } from 'vitest';
import { plain } from '../text/plain.ts';
import { readYaml, yamlOf } from './yaml.ts';

it.each([
  'team',
  'gpj\u202etxt',
  'a\u0000\u001b[2J',
  'sh\u200bop: "quoted" \\u202e',
  'a\u{e0041}\ufeff',
  'lines\nof\u2028text\n',
  '<img src=x onerror=alert(1)>',
  `${'x'.repeat(5000)}\u202e${' y'.repeat(2500)}`,
])('escapes invisible characters without changing the value: %j', (owner) => {
  const object = { metadata: { labels: { owner }, annotations: { note: 'yes', count: '3' } }, spec: { size: 3 } };
  const text = yamlOf(object);

  expect(plain(text)).toBe(text);
  expect(readYaml(text)).toEqual({ ok: true, value: object });
});

it('writes several documents, with printable characters unescaped', () => {
  expect(yamlOf({ a: 'b' }, { c: 3 })).toBe('a: b\n---\nc: 3\n');
});
