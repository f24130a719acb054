import type { SignIn } from '@fairway/openstack/sign-in/sign-in';
import { describe, expect, it } from 'vitest';
import { signInKey } from './sign-in-key.ts';

const authUrl = 'https://cloud/v3';
const scope = { kind: 'project', project: { id: 'p' } } as const;
const user = { name: 'demo', domain: { name: 'Default' } };
const client = { id: 'c', secret: 's', scope: 'openid', tokenType: 'access_token' } as const;
const federated = { kind: 'federated', identityProvider: 'sso', protocol: 'openid', scope } as const;

function keyOf(signIn: SignIn, url = authUrl): string {
  return signInKey({ cloud: 'c', authUrl: url, tls: { verify: true }, signIn });
}

const password = { kind: 'password', user, withPasscode: false, scope } as const;
const token = (text: string) => ({ kind: 'credential', credential: { kind: 'token', token: text, scope } }) as const;

describe('the key of a sign-in', () => {
  it.each<{ reason: string; one: SignIn; other: SignIn }>([
    { reason: 'the password', one: password, other: { ...password, password: 's' } },
    { reason: 'a passcode', one: password, other: { ...password, withPasscode: true, passcode: '123456' } },
    {
      reason: 'the secret of an application credential',
      one: { kind: 'credential', credential: { kind: 'applicationCredential', id: 'a', secret: 's' } },
      other: { kind: 'credential', credential: { kind: 'applicationCredential', id: 'a', secret: 't' } },
    },
    {
      reason: 'the secret of a client',
      one: { ...federated, grant: { kind: 'clientCredentials', client } },
      other: { ...federated, grant: { kind: 'clientCredentials', client: { ...client, secret: 't' } } },
    },
    {
      reason: 'the order of keys',
      one: { ...password, user: { name: 'demo', domain: { name: 'Default' } } },
      other: { ...password, user: { domain: { name: 'Default' }, name: 'demo' } },
    },
  ])('does not depend on $reason', ({ one, other }) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it.each<{ reason: string; one: SignIn; other: SignIn }>([
    { reason: 'user', one: password, other: { ...password, user: { id: 'u' } } },
    { reason: 'project', one: password, other: { ...password, scope: { kind: 'default' } } },
    { reason: 'given token', one: token('a'), other: token('b') },
    {
      reason: 'access token',
      one: { ...federated, grant: { kind: 'accessToken', accessToken: 'a' } },
      other: { ...federated, grant: { kind: 'accessToken', accessToken: 'b' } },
    },
    {
      reason: 'user name at the provider',
      one: { ...federated, grant: { kind: 'password', client, username: 'a' } },
      other: { ...federated, grant: { kind: 'password', client, username: 'b' } },
    },
    {
      reason: 'provider',
      one: { ...federated, grant: { kind: 'device', client, withChallenge: false } },
      other: { ...federated, identityProvider: 'x', grant: { kind: 'device', client, withChallenge: false } },
    },
  ])('differs by $reason', ({ one, other }) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('differs by Keystone, but not by how its URL is written', () => {
    expect(keyOf(password, 'https://other/v3')).not.toBe(keyOf(password));
    expect(keyOf(password, `${authUrl}/`)).toBe(keyOf(password));
  });
});
