import { expect, test } from 'vitest';
import { identityOf } from './identity.ts';

const ORIGIN = '123e4567-e89b-42d3-a456-426614174000';

test.each([
  { object: { metadata: { uid: 'u-1' } }, identity: 'u-1', reason: 'the object was created here' },
  { object: { metadata: { uid: 'u-1' }, status: {} }, identity: 'u-1', reason: 'the object was created here' },
  {
    object: { metadata: { uid: 'u-1' }, status: { originUID: ORIGIN } },
    identity: ORIGIN,
    reason: 'the object was moved here',
  },
  { object: { metadata: {} }, identity: '', reason: 'the object is not stored yet' },
])('returns $identity for $object: $reason', ({ object, identity }) => {
  expect(identityOf(object)).toBe(identity);
});
