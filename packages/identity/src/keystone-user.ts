import { keystoneTimeMs, type Token } from '@fairway/openstack/types/identity';

export interface DomainRef {
  readonly id: string;
  readonly name: string;
}

/** What Keystone says of the holder of a token. Ids are unique in the cloud; names in a domain only, whose administrator chooses them. */
export interface KeystoneUser {
  /** Of a trust that impersonates: the trustor. */
  readonly userId: string;
  readonly userName: string;
  readonly userDomain: DomainRef;
  /** Undefined for a token that is not scoped to a project, and for one that acts as a domain. */
  readonly project: { readonly id: string; readonly name: string; readonly domain: DomainRef } | undefined;
  /** Names of the roles on the token's scope, implied ones too. Domain-specific roles never are in a token. */
  readonly roles: readonly string[];
  /** Of a federated user: ids of the groups that the mapping gave. */
  readonly groupIds: readonly string[];
  /** Scoped to the whole cloud. */
  readonly isSystemScoped: boolean;
  /** Scoped to the project that Keystone's own configuration names as the administrators'. */
  readonly isAdminProject: boolean;
  readonly methods: readonly string[];
  readonly applicationCredentialId: string | undefined;
  /** Acts by a trust. */
  readonly trustId: string | undefined;
  readonly auditIds: readonly string[];
  /** When the token ends. */
  readonly expiresAtMs: number;
}

/**
 * Undefined for a token that ended by `nowMs`, and for one of an application credential with access rules: they name paths of OpenStack's services, and
 * believing it without them would give its holder more than its owner did.
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
