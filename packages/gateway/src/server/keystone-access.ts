import type { Authenticator, Authorizer } from '@fairway/apiserver/auth/user';
import { createKeystoneAuthenticator } from '@fairway/identity/keystone-authenticator';
import type { KeystoneTokens } from '@fairway/identity/keystone-tokens';
import { createPolicyAuthorizer } from '@fairway/identity/policy/policy-authorizer';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import type { KeystoneSettings } from '@fairway/identity/settings';
import type { KeystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';

/** Keystone users at Fairway's API. */
export interface KeystoneAccess {
  readonly settings: KeystoneSettings;
  readonly tokens: Pick<KeystoneTokens, 'authenticate' | 'follow'>;
  /** Shared by all entry points, because it limits how many namespaces are created. */
  readonly namespaces: Pick<ProjectNamespaces, 'of'>;
  /** Where console users sign in; by default, they cannot. */
  readonly signInService?: KeystoneSignIn | undefined;
}

/** Dependencies of both forms of the gateway for Keystone users. */
export function keystoneAuth({ settings, tokens, namespaces }: KeystoneAccess): {
  readonly authenticators: readonly Authenticator[];
  readonly authorizers: readonly Authorizer[];
} {
  return {
    authenticators: [createKeystoneAuthenticator(tokens, namespaces)],
    authorizers: settings.policy === undefined ? [] : [createPolicyAuthorizer(settings.policy)],
  };
}
