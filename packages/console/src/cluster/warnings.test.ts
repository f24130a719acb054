import { expect, test } from 'vitest';
import { warningsOf } from './warnings.ts';

test.each([
  { header: null, expected: [] },
  { header: '299 - "spec.replicas: no room"', expected: ['spec.replicas: no room'] },
  { header: '299 - "a \\"b\\"", 299 - "c, d"', expected: ['a "b"', 'c, d'] },
  { header: '299 - "f\u00c3\u00bcr"', expected: ['für'] },
])('warnings of $header', ({ header, expected }) => {
  expect(warningsOf(header)).toEqual(expected);
});
