import { DEFAULT_NAMESPACE_FORMAT } from './namespace-name.ts';
import type { Policy } from './policy/policy.ts';

/** A way of single sign-on. */
export interface SingleSignOnWay {
  /** For people. */
  readonly name: string;
  /** Of Keystone, as browsers reach it: `…/v3/auth/OS-FEDERATION/websso/openid`, or that of one provider. */
  readonly url: string;
}

/** What the operator decides about users of Keystone. */
export interface KeystoneSettings {
  /** Entry of clouds.yaml by whose user tokens are validated. */
  readonly cloud: string;
  /** Names of projects' namespaces. */
  readonly namespaceFormat: string;
  /** The ClusterRole that each role of Keystone gives in the project's namespace. */
  readonly roles: Readonly<Record<string, string>>;
  /** Ids of projects that get no namespace. */
  readonly ignoredProjects: readonly string[];
  /** Where people sign in to the console by Keystone's single sign-on. */
  readonly singleSignOn: readonly SingleSignOnWay[];
  /** Further rights, in k8s-keystone-auth's format. */
  readonly policy?: Policy | undefined;
}

export const DEFAULT_ROLES: KeystoneSettings['roles'] = {
  admin: 'fairway-member',
  member: 'fairway-member',
  reader: 'fairway-reader',
};

export function keystoneSettings(
  cloud: string,
  settings: { readonly [Key in keyof KeystoneSettings]?: KeystoneSettings[Key] | undefined } = {},
): KeystoneSettings {
  return {
    cloud,
    namespaceFormat: settings.namespaceFormat ?? DEFAULT_NAMESPACE_FORMAT,
    roles: settings.roles ?? DEFAULT_ROLES,
    ignoredProjects: settings.ignoredProjects ?? [],
    singleSignOn: settings.singleSignOn ?? [],
    policy: settings.policy,
  };
}
