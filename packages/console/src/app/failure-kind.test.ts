import { expect, it } from 'vitest';
import { failureKind } from './failure-kind.ts';

it.each([
  { code: 0, kind: 'away' },
  { code: 502, kind: 'away' },
  { code: 503, kind: 'away' },
  { code: 504, kind: 'away' },
  { code: 500, kind: 'fault' },
  { code: 401, kind: 'signedOut' },
  { code: 403, kind: 'forbidden' },
  { code: 404, kind: 'missing' },
  { code: 429, kind: 'busy' },
  { code: 422, kind: 'other' },
])('$code: $kind', ({ code, kind }) => {
  expect(failureKind({ code })).toBe(kind);
});
