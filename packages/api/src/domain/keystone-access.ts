import type { ClusterSpec } from '../kinds/cluster.ts';
import type { KeystoneClusterRole } from '../kinds/cluster-options.ts';

/**
 * What roles of Keystone give where a cluster does not say: whoever may have an administrator's kubeconfig of the cluster is its administrator this way too. Those that
 * begin with k8s_ are Magnum's, which mean nothing else.
 */
export const DEFAULT_KEYSTONE_ROLES: Readonly<Record<string, KeystoneClusterRole>> = {
  admin: 'cluster-admin',
  member: 'cluster-admin',
  k8s_admin: 'cluster-admin',
  k8s_developer: 'edit',
  reader: 'view',
  k8s_viewer: 'view',
};

/** Users of Keystone that a cluster lets in. */
export interface KeystoneAccess {
  /** Ids; none while it is not known where the cluster lives. */
  readonly projects: readonly string[];
  /** The ClusterRole that each role gives. */
  readonly roles: Readonly<Record<string, KeystoneClusterRole>>;
}

/** Undefined for a cluster that does not ask for users of Keystone. */
export function keystoneAccessOf(
  { apiServer: { keystone } }: Pick<ClusterSpec, 'apiServer'>,
  projectID: string | undefined,
): KeystoneAccess | undefined {
  if (keystone === undefined) return undefined;
  const own = projectID === undefined ? [] : [projectID];
  const byDefault = keystone.policy === undefined ? DEFAULT_KEYSTONE_ROLES : {};
  return { projects: keystone.projects ?? own, roles: keystone.roles ?? byDefault };
}

/** The group of those to whom a role of Keystone gives a ClusterRole, bound to it in each cluster that lets them in. */
export function clusterRoleGroup(clusterRole: KeystoneClusterRole): string {
  return `fairway:keystone:${clusterRole}`;
}

/** Why a Fairway whose operator names no Keystone lets no users of one in at clusters. */
export const NO_KEYSTONE =
  'this Fairway knows no users of Keystone: leave it out, or the operator names the Keystone (--keystone)';
