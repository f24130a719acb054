import {
  type ApplicationCredential,
  DEFAULT_DOMAIN,
  type Project,
  ROLES,
  type RoleName,
  type Trust,
  type User,
} from './records.ts';
import { formatOptionalTime } from './time.ts';

export function projectView(project: Project, origin: string): object {
  return {
    id: project.id,
    name: project.name,
    domain_id: DEFAULT_DOMAIN.id,
    description: project.description,
    enabled: project.enabled,
    parent_id: DEFAULT_DOMAIN.id,
    is_domain: false,
    tags: project.tags,
    options: {},
    links: { self: `${origin}/identity/v3/projects/${project.id}` },
  };
}

export function userView(user: User, origin: string): object {
  return {
    id: user.id,
    name: user.name,
    domain_id: DEFAULT_DOMAIN.id,
    description: user.description,
    enabled: user.enabled,
    password_expires_at: null,
    options: user.options ?? {},
    ...(user.email === undefined ? {} : { email: user.email }),
    ...(user.defaultProjectId === undefined ? {} : { default_project_id: user.defaultProjectId }),
    links: { self: `${origin}/identity/v3/users/${user.id}` },
  };
}

export function roleViews(names: readonly RoleName[]): object[] {
  return ROLES.filter((role) => names.includes(role.name)).map((role) => ({ ...role, domain_id: null }));
}

export function applicationCredentialView(credential: ApplicationCredential, origin: string): object {
  return {
    id: credential.id,
    name: credential.name,
    description: credential.description,
    project_id: credential.projectId,
    user_id: credential.userId,
    roles: roleViews(credential.roles),
    expires_at: formatOptionalTime(credential.expiresMs),
    unrestricted: credential.unrestricted,
    system: null,
    links: { self: `${origin}/identity/v3/users/${credential.userId}/application_credentials/${credential.id}` },
  };
}

export function trustView(trust: Trust, origin: string): object {
  return {
    id: trust.id,
    trustor_user_id: trust.trustorUserId,
    trustee_user_id: trust.trusteeUserId,
    project_id: trust.projectId,
    impersonation: trust.impersonation,
    expires_at: formatOptionalTime(trust.expiresMs),
    remaining_uses: trust.remainingUses,
    redelegated_trust_id: null,
    redelegation_count: 0,
    deleted_at: null,
    roles: roleViews(trust.roles),
    roles_links: { self: `${origin}/identity/v3/OS-TRUST/trusts/${trust.id}/roles`, previous: null, next: null },
    links: { self: `${origin}/identity/v3/OS-TRUST/trusts/${trust.id}` },
  };
}
