import { expect, it } from 'vitest';
import { isKeystoneShaped } from './token-shape.ts';

const jwt = (claims: object) =>
  ['{"alg":"ES256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

const FERNET = `gAAAAABl${'Ab-_9'.repeat(30)}`;

it.each<{ token: string; is: boolean; what: string }>([
  { what: 'a Fernet token', token: FERNET, is: true },
  { what: 'a padded Fernet token', token: `${FERNET}==`, is: true },
  { what: 'a JWS of Keystone', token: jwt({ sub: 'u', exp: 1, openstack_methods: ['password'] }), is: true },
  {
    what: 'a token of a service account',
    token: jwt({ iss: 'https://fairway', sub: 'system:serviceaccount:a:b' }),
    is: false,
  },
  { what: 'a JWT with both kinds of claims', token: jwt({ iss: 'https://fairway', openstack_methods: [] }), is: false },
  { what: 'three parts without JSON', token: 'a.b.c', is: false },
  { what: 'three parts of other JSON', token: jwt([]), is: false },
  { what: 'a bootstrap token', token: 'abcdef.0123456789abcdef', is: false },
  { what: 'nothing', token: '', is: false },
  { what: 'a token with a line break', token: `${FERNET}\n`, is: false },
  { what: 'a token with an injected header', token: `${FERNET}\r\nX-Auth-Token: x`, is: false },
  { what: 'a non-ASCII character', token: `${FERNET}é`, is: false },
  { what: 'an oversized token', token: `gAAAAA${'A'.repeat(1_000_000)}`, is: false },
  { what: 'only the prefix', token: 'gAAAAA', is: false },
])('$what: $is', ({ token, is }) => {
  expect(isKeystoneShaped(token)).toBe(is);
});
