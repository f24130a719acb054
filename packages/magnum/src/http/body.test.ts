import { expect, test } from 'vitest';
import { z } from 'zod';
import { int, NAME, optional, optionalFlag, optionalInt, parseBody } from './body.ts';

const Body = z.strictObject({
  name: optional(NAME),
  count: optionalInt(z.int().min(0).max(9)),
  enabled: optionalFlag(),
  size: int(z.int().min(1)),
});

test.each<{ reason: string; body: object; read: object }>([
  { reason: 'an omitted field is absent', body: { size: 1 }, read: { size: 1 } },
  { reason: 'null counts as omitted', body: { name: null, count: null, enabled: null, size: 1 }, read: { size: 1 } },
  {
    reason: 'an empty string from a form counts as omitted',
    body: { name: '', count: '', enabled: '', size: 1 },
    read: { size: 1 },
  },
  {
    reason: 'numbers and booleans from forms are parsed from text',
    body: { count: '3', enabled: 'False', size: '2' },
    read: { count: 3, enabled: false, size: 2 },
  },
  {
    reason: 'numbers and booleans keep their types',
    body: { count: 3, enabled: true, size: 2 },
    read: { count: 3, enabled: true, size: 2 },
  },
])('$reason', ({ body, read }) => {
  const found = parseBody(Body, JSON.stringify(body));
  expect(Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))).toEqual(read);
});

test.each<{ body: object; detail: RegExp }>([
  { body: {}, detail: /^Invalid input for field\/attribute size: / },
  { body: { size: 'many' }, detail: /^Invalid input for field\/attribute size: / },
  { body: { size: 1, count: '10' }, detail: /^Invalid input for field\/attribute count: Too big/ },
  { body: { size: 1, count: 1.5 }, detail: /^Invalid input for field\/attribute count: / },
  { body: { size: 1, enabled: 'perhaps' }, detail: /^Invalid input for field\/attribute enabled: / },
  { body: { size: 1, name: '1a' }, detail: /^Invalid input for field\/attribute name: must start with a letter/ },
  { body: { size: 1, colour: 'red' }, detail: /^Unknown attribute: colour$/ },
])('refuses the body $body', ({ body, detail }) => {
  expect(() => parseBody(Body, JSON.stringify(body))).toThrow(detail);
});
