import type { AuthRequest } from '../types/identity.ts';
import type { Credential, Scope } from './credential.ts';

type WireScope = NonNullable<AuthRequest['auth']['scope']>;

/** The body of `POST /v3/auth/tokens`. */
export function toAuthRequest(credential: Credential): AuthRequest {
  switch (credential.kind) {
    case 'password': {
      const { user, password, passcode, scope } = credential;
      const identity = { methods: ['password'], password: { user: { ...user, password } } };
      if (passcode === undefined) return withScope(identity, scope);
      return withScope({ ...identity, methods: ['password', 'totp'], totp: { user: { ...user, passcode } } }, scope);
    }
    case 'totp': {
      const { user, passcode } = credential;
      return withScope({ methods: ['totp'], totp: { user: { ...user, passcode } } }, credential.scope);
    }
    case 'token':
      return withScope({ methods: ['token'], token: { id: credential.token } }, credential.scope);
    case 'applicationCredential': {
      const { kind: _, ...applicationCredential } = credential;
      // Keystone refuses a scope here.
      return {
        auth: { identity: { methods: ['application_credential'], application_credential: applicationCredential } },
      };
    }
  }
}

function withScope(identity: AuthRequest['auth']['identity'], scope: Scope): AuthRequest {
  const wireScope = toWireScope(scope);
  return { auth: wireScope === undefined ? { identity } : { identity, scope: wireScope } };
}

function toWireScope(scope: Scope): WireScope | undefined {
  switch (scope.kind) {
    case 'project':
      return { project: scope.project };
    case 'domain':
      return { domain: scope.domain };
    case 'system':
      return { system: { all: true } };
    case 'trust':
      return { 'OS-TRUST:trust': { id: scope.trustId } };
    case 'default':
      return undefined;
  }
}
