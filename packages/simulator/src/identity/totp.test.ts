import { expect, it } from 'vitest';
import { totp } from './totp.ts';

/** The secret of RFC 6238, appendix B, in base32; its codes are truncated to six digits. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  { atS: 59, code: '287082' },
  { atS: 1_111_111_109, code: '081804' },
  { atS: 1_234_567_890, code: '005924' },
  { atS: 20_000_000_000, code: '353130' },
])('computes the code $code at $atS s', ({ atS, code }) => {
  expect(totp(SECRET, atS * 1000)).toBe(code);
});
