import { keystoneTimeMs, type Token } from '@fairway/openstack/types/identity';

export interface DomainRef {
  readonly id: string;
  readonly name: string;
}

/**
 * What Keystone reports about the holder of a token. IDs are unique in the cloud; names only within a domain, whose administrator
 * assigns them.
 */
export interface KeystoneUser {
  /** The trustor, for a trust with impersonation. */
  readonly userId: string;
  readonly userName: string;
  readonly userDomain: DomainRef;
  /** Undefined for a token that is not scoped to a project, and for one that acts as a domain. */
  readonly project: { readonly id: string; readonly name: string; readonly domain: DomainRef } | undefined;
  /** Names of the roles on the token's scope, including implied roles. A token never contains domain-specific roles. */
  readonly roles: readonly string[];
  /** Group IDs that the mapping assigns to a federated user. */
  readonly groupIds: readonly string[];
  /** Whether the token is scoped to the whole cloud. */
  readonly isSystemScoped: boolean;
  /** Whether the token is scoped to the admin project in Keystone's configuration. */
  readonly isAdminProject: boolean;
  readonly methods: readonly string[];
  readonly applicationCredentialId: string | undefined;
  /** Whether the token was issued for a trust. */
  readonly trustId: string | undefined;
  readonly auditIds: readonly string[];
  /** Expiry of the token. */
  readonly expiresAtMs: number;
}

/**
 * Reads the user from Keystone's response. Undefined for a token that expired before `nowMs`, and for a token of an
 * application credential with access rules: these rules name paths of OpenStack services, and accepting the token
 * without them would grant its holder more than its owner intended.
 */
export function keystoneUser(token: Token, nowMs: number): KeystoneUser | undefined {
  const expiresAtMs = keystoneTimeMs(token.expires_at);
  if (!(expiresAtMs > nowMs)) return undefined;
  if (token.application_credential?.access_rules !== undefined) return undefined;
  const { id: userId, name: userName, domain: userDomain, 'OS-FEDERATION': federation } = token.user;
  return {
    userId,
    userName,
    userDomain,
    project: token.is_domain === true ? undefined : token.project,
    roles: token.roles.map(({ name }) => name),
    groupIds: (federation?.groups ?? []).map(({ id }) => id),
    isSystemScoped: token.system?.all === true,
    isAdminProject: token.project !== undefined && token.is_admin_project === true,
    methods: token.methods,
    applicationCredentialId: token.application_credential?.id,
    trustId: token['OS-TRUST:trust']?.id,
    auditIds: token.audit_ids,
    expiresAtMs,
  };
}
