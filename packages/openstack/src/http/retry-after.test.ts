import { expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

it.each([
  { value: undefined, ms: undefined, reason: 'absent' },
  { value: '120', ms: 120_000, reason: 'seconds' },
  { value: '0', ms: 0, reason: 'immediately' },
  { value: '0.5', ms: 500, reason: 'nonstandard, but used' },
  { value: 'Wed, 21 Oct 2026 07:28:00 GMT', ms: 60_000, reason: 'a date' },
  { value: 'Wed, 21 Oct 2026 07:26:00 GMT', ms: 0, reason: 'a date in the past' },
  { value: '99999999999', ms: 3_600_000, reason: 'longer than any service intends' },
  { value: 'Wed, 21 Oct 2099 07:28:00 GMT', ms: 3_600_000, reason: 'a date in another century' },
  { value: 'soon', ms: undefined, reason: 'neither' },
])('parses Retry-After $value: $reason', ({ value, ms }) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 9, 21, 7, 27))).toBe(ms);
});
