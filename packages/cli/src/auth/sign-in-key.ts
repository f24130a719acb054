import { createHash } from 'node:crypto';
import { trimmedEnd } from '@fairway/base/trim';
import type { OidcGrant, SignIn, SignInConfig } from '@fairway/openstack/sign-in/sign-in';

/**
 * Returns a key for the requested sign-in: user, Keystone and scope. Passwords, passcodes and secrets are not part of
 * it. A given token is: it identifies the user and is practically random.
 */
export function signInKey({ authUrl, signIn }: SignInConfig): string {
  const identity = JSON.stringify([1, trimmedEnd(authUrl, '/'), identityOf(signIn)], sortKeys);
  return digest(identity).slice(0, 40);
}

function identityOf(signIn: SignIn): unknown {
  switch (signIn.kind) {
    case 'credential': {
      const { credential } = signIn;
      if (credential.kind === 'token') return ['token', digest(credential.token), credential.scope];
      const { id, name, user } = credential;
      return ['applicationCredential', id, name, user];
    }
    case 'password':
    case 'totp':
      return [signIn.kind, signIn.user, signIn.scope];
    case 'federated': {
      const { identityProvider, protocol, grant, scope } = signIn;
      return ['federated', identityProvider, protocol, grantIdentity(grant), scope];
    }
  }
}

function grantIdentity(grant: OidcGrant): unknown {
  switch (grant.kind) {
    case 'accessToken':
      return ['accessToken', digest(grant.accessToken)];
    case 'password':
      return ['password', grant.client.id, grant.client.scope, grant.username];
    case 'authorizationCode':
      return ['person', grant.client.id, grant.client.scope, grant.code === undefined ? null : digest(grant.code)];
    case 'device':
      return ['person', grant.client.id, grant.client.scope, null];
    case 'clientCredentials':
      return ['clientCredentials', grant.client.id, grant.client.scope];
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Makes the result independent of key order. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
