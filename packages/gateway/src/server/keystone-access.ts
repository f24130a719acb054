import type { Authenticator, Authorizer } from '@fairway/apiserver/auth/user';
import { createKeystoneAuthenticator } from '@fairway/identity/keystone-authenticator';
import type { KeystoneTokens } from '@fairway/identity/keystone-tokens';
import { createPolicyAuthorizer } from '@fairway/identity/policy/policy-authorizer';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import type { KeystoneSettings } from '@fairway/identity/settings';
import type { KeystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';

/** Users of Keystone at Fairway's API. */
export interface KeystoneAccess {
  readonly settings: KeystoneSettings;
  readonly tokens: Pick<KeystoneTokens, 'authenticate' | 'follow'>;
  /** One for all entry points, since it limits how many are made. */
  readonly namespaces: Pick<ProjectNamespaces, 'of'>;
  /** Where people sign in, for the console; nowhere by default. */
  readonly signInService?: KeystoneSignIn | undefined;
}

/** What both forms of the gateway need for them. */
export function keystoneAuth({ settings, tokens, namespaces }: KeystoneAccess): {
  readonly authenticators: readonly Authenticator[];
  readonly authorizers: readonly Authorizer[];
} {
  return {
    authenticators: [createKeystoneAuthenticator(tokens, namespaces)],
    authorizers: settings.policy === undefined ? [] : [createPolicyAuthorizer(settings.policy)],
  };
}
