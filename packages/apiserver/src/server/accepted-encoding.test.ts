import { expect, it } from 'vitest';
import { acceptedEncoding } from './accepted-encoding.ts';

it.each([
  { accepted: 'gzip, deflate, br', encoding: 'br', reason: 'offered first' },
  { accepted: 'gzip', encoding: 'gzip', reason: 'the only one accepted' },
  { accepted: 'GZIP ; q=0.5', encoding: 'gzip', reason: 'upper case' },
  { accepted: 'br;q=0, gzip;q=1', encoding: 'gzip', reason: 'the other encoding is excluded' },
  { accepted: 'gzip; Q=0.000', encoding: undefined, reason: 'refused' },
  { accepted: 'x-gzip-more, identity', encoding: undefined, reason: 'another name' },
  { accepted: '', encoding: undefined, reason: 'none' },
  { accepted: undefined, encoding: undefined, reason: 'a missing header' },
])('"$accepted": $encoding, $reason', ({ accepted, encoding }) => {
  expect(acceptedEncoding(accepted, ['br', 'gzip'])).toBe(encoding);
});
