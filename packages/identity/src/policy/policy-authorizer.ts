import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { EXTRA_PROJECT_ID } from '@fairway/apiserver/auth/well-known-users';
import {
  EXTRA_PROJECT_DOMAIN_ID,
  EXTRA_PROJECT_NAME,
  EXTRA_ROLES,
  EXTRA_USER_DOMAIN_ID,
  EXTRA_USER_NAME,
  isKeystoneUsername,
} from '../user-info.ts';
import type { Policy } from './policy.ts';
import { type PolicySubject, policyAllows } from './policy-decision.ts';

/** Keystone's first domain, which only the cloud's own administrators manage. */
const DEFAULT_DOMAIN = 'default';

/** Adds a policy's permissions to the existing permissions of Keystone users; it has no opinion on other users. */
export function createPolicyAuthorizer(policy: Policy): Authorizer {
  return {
    authorize(attributes) {
      const { user } = attributes;
      const isAllowed = isKeystoneUsername(user.username) && policyAllows(policy, subjectOf(user), attributes);
      return { allowed: isAllowed, reason: isAllowed ? 'allowed by the policy for Keystone users' : '' };
    },
  };
}

/** Names apply only in the default domain: administrators of other domains can give any user the names in a policy. */
function subjectOf({ uid = '', groups, extra = {} }: UserInfo): PolicySubject {
  const inDefaultDomain = (domain: string, name: string) =>
    extra[domain]?.[0] === DEFAULT_DOMAIN ? (extra[name] ?? []) : [];
  return {
    users: new Set([uid, ...inDefaultDomain(EXTRA_USER_DOMAIN_ID, EXTRA_USER_NAME)]),
    groups: new Set(groups),
    projects: new Set([
      ...(extra[EXTRA_PROJECT_ID] ?? []),
      ...inDefaultDomain(EXTRA_PROJECT_DOMAIN_ID, EXTRA_PROJECT_NAME),
    ]),
    roles: new Set(extra[EXTRA_ROLES]),
  };
}
