import type { UserInfo } from './user.ts';

/** Names with a meaning in Kubernetes (k8s.io/apiserver/pkg/authentication/user). */
export const ANONYMOUS = 'system:anonymous';
export const GROUP_UNAUTHENTICATED = 'system:unauthenticated';
export const GROUP_AUTHENTICATED = 'system:authenticated';
export const GROUP_MASTERS = 'system:masters';
export const GROUP_NODES = 'system:nodes';
export const GROUP_BOOTSTRAPPERS = 'system:bootstrappers';
export const GROUP_SERVICE_ACCOUNTS = 'system:serviceaccounts';

/** Key in `UserInfo.extra` that identifies the credential: a certificate's fingerprint or a token's ID. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Key in `UserInfo.extra` for a Keystone user's project, as in k8s-keystone-auth. */
export const EXTRA_PROJECT_ID = 'alpha.kubernetes.io/identity/project/id';

const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';
const NODE_PREFIX = 'system:node:';

export const anonymousUser: UserInfo = { username: ANONYMOUS, groups: [GROUP_UNAUTHENTICATED] };

export function serviceAccountUsername(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return [GROUP_SERVICE_ACCOUNTS, `${GROUP_SERVICE_ACCOUNTS}:${namespace}`];
}

/** The user's node name; '' for a node without a name; undefined for users that are not nodes. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.username.startsWith(NODE_PREFIX) || !user.groups.includes(GROUP_NODES)) return undefined;
  return user.username.slice(NODE_PREFIX.length);
}

export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(GROUP_MASTERS);
}
