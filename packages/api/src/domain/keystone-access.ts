import type { ClusterSpec } from '../kinds/cluster.ts';
import type { KeystoneClusterRole } from '../kinds/cluster-options.ts';

/**
 * Default ClusterRoles for Keystone roles: users who can get an administrator's kubeconfig are administrators here too.
 * The k8s_ roles come from Magnum and have no other meaning.
 */
export const DEFAULT_KEYSTONE_ROLES: Readonly<Record<string, KeystoneClusterRole>> = {
  admin: 'cluster-admin',
  member: 'cluster-admin',
  k8s_admin: 'cluster-admin',
  k8s_developer: 'edit',
  reader: 'view',
  k8s_viewer: 'view',
};

/** Keystone users with access to a cluster. */
export interface KeystoneAccess {
  /** Project IDs; empty while the cluster's project is unknown. */
  readonly projects: readonly string[];
  /** The ClusterRole that each role grants. */
  readonly roles: Readonly<Record<string, KeystoneClusterRole>>;
}

/** Undefined for a cluster without Keystone authentication. */
export function keystoneAccessOf(
  { apiServer: { keystone } }: Pick<ClusterSpec, 'apiServer'>,
  projectID: string | undefined,
): KeystoneAccess | undefined {
  if (keystone === undefined) return undefined;
  const own = projectID === undefined ? [] : [projectID];
  const defaultRoles = keystone.policy === undefined ? DEFAULT_KEYSTONE_ROLES : {};
  return { projects: keystone.projects ?? own, roles: keystone.roles ?? defaultRoles };
}

/**
 * The group of users to whom a Keystone role grants a ClusterRole; in each cluster with Keystone authentication, it is
 * bound to that ClusterRole.
 */
export function clusterRoleGroup(clusterRole: KeystoneClusterRole): string {
  return `fairway:keystone:${clusterRole}`;
}

/** The error for Keystone authentication when the operator has not configured Keystone. */
export const NO_KEYSTONE =
  'Keystone authentication is not enabled in this Fairway: remove it, or ask the operator to enable it (--keystone)';
