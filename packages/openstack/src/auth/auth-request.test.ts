import { expect, it } from 'vitest';
import { toAuthRequest } from './auth-request.ts';
import { identityRoot } from './authenticate.ts';
import type { Credential } from './credential.ts';

const user = { name: 'demo', domain: { name: 'Default' } };

it.each<{ reason: string; credential: Credential; request: object }>([
  {
    reason: 'password for a project',
    credential: { kind: 'password', user, password: 's', scope: { kind: 'project', project: { id: 'p' } } },
    request: {
      identity: { methods: ['password'], password: { user: { ...user, password: 's' } } },
      scope: { project: { id: 'p' } },
    },
  },
  {
    reason: 'password for a trust',
    credential: { kind: 'password', user: { id: 'u' }, password: 's', scope: { kind: 'trust', trustId: 't' } },
    request: {
      identity: { methods: ['password'], password: { user: { id: 'u', password: 's' } } },
      scope: { 'OS-TRUST:trust': { id: 't' } },
    },
  },
  {
    reason: 'password and a one-time passcode',
    credential: { kind: 'password', user, password: 's', passcode: '123456', scope: { kind: 'default' } },
    request: {
      identity: {
        methods: ['password', 'totp'],
        password: { user: { ...user, password: 's' } },
        totp: { user: { ...user, passcode: '123456' } },
      },
    },
  },
  {
    reason: 'one-time passcode that completes a receipt, sent as a header',
    credential: {
      kind: 'totp',
      user,
      passcode: '123456',
      receipt: 'r',
      scope: { kind: 'project', project: { id: 'p' } },
    },
    request: {
      identity: { methods: ['totp'], totp: { user: { ...user, passcode: '123456' } } },
      scope: { project: { id: 'p' } },
    },
  },
  {
    reason: 'token for the system',
    credential: { kind: 'token', token: 'x', scope: { kind: 'system' } },
    request: { identity: { methods: ['token'], token: { id: 'x' } }, scope: { system: { all: true } } },
  },
  {
    reason: 'token with its own scope',
    credential: { kind: 'token', token: 'x', scope: { kind: 'default' } },
    request: { identity: { methods: ['token'], token: { id: 'x' } } },
  },
  {
    reason: 'application credential by id, which implies its project',
    credential: { kind: 'applicationCredential', id: 'a', secret: 's' },
    request: { identity: { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } } },
  },
  {
    reason: 'application credential by name, which is unique per user',
    credential: { kind: 'applicationCredential', name: 'a', user, secret: 's' },
    request: {
      identity: { methods: ['application_credential'], application_credential: { name: 'a', user, secret: 's' } },
    },
  },
])('authenticates: $reason', ({ credential, request }) => {
  expect(toAuthRequest(credential)).toEqual({ auth: request });
});

it.each([
  ['http://cloud:5000', 'http://cloud:5000/v3'],
  ['http://cloud:5000/', 'http://cloud:5000/v3'],
  ['http://cloud:5000/v3/', 'http://cloud:5000/v3'],
  ['https://cloud/identity', 'https://cloud/identity/v3'],
  ['https://cloud/identity/v2.0', 'https://cloud/identity/v3'],
])('finds Keystone v3 at %s', (authUrl, root) => {
  expect(identityRoot(authUrl)).toBe(root);
});
