import { expect, it } from 'vitest';
import { accountOf } from './sign-in-request.ts';

const account = (username: string, domain = 'Default') =>
  accountOf({ kind: 'password', username, domain, password: 'x' });

it.each([
  ['ALICE', 'case'],
  ['alice  ', 'spaces at the end, which MySQL pads'],
  ['älice', 'accents'],
  ['a\u0308lice', 'accents of their own'],
  ['ａlice', 'full width'],
])('counts guesses at %j as guesses at "alice": Keystone’s database ignores %s', (username) => {
  expect(account(username)).toBe(account('alice'));
  expect(account('bob', username)).toBe(account('bob', 'alice'));
});

it('counts users, domains and application credentials separately', () => {
  const accounts = [
    account('alice'),
    account('bob'),
    account('alice', 'Other'),
    accountOf({ kind: 'applicationCredential', id: 'alice', secret: 'x' }),
  ];

  expect(new Set(accounts).size).toBe(4);
});

it('has no account for a token: guesses must not delay other users', () => {
  expect(accountOf({ kind: 'token', token: 'x' })).toBeUndefined();
});
