import { DEFAULT_NAMESPACE_FORMAT } from './namespace-name.ts';
import type { Policy } from './policy/policy.ts';

/** A single sign-on provider. */
export interface SingleSignOnMethod {
  /** Display name. */
  readonly name: string;
  /** Keystone's URL for browsers: `…/v3/auth/OS-FEDERATION/websso/openid`, or the URL of one provider. */
  readonly url: string;
}

/** The operator's settings for Keystone users. */
export interface KeystoneSettings {
  /** The entry in clouds.yaml whose user validates tokens. */
  readonly cloud: string;
  /** Naming pattern of projects' namespaces. */
  readonly namespaceFormat: string;
  /** ClusterRoles that Keystone roles grant in the project's namespace. */
  readonly roles: Readonly<Record<string, string>>;
  /** IDs of projects that get no namespace. */
  readonly ignoredProjects: readonly string[];
  /** Single sign-on providers for the console. */
  readonly singleSignOn: readonly SingleSignOnMethod[];
  /** Additional permissions, in k8s-keystone-auth's format. */
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
