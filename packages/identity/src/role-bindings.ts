import { createHash } from 'node:crypto';
import type { RoleBinding } from '@fairway/kube/kinds/generated/types';
import { PROJECT_LABEL } from './project-labels.ts';
import type { KeystoneSettings } from './settings.ts';
import { projectGroup } from './user-info.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Length of a digest: a label value cannot be longer, and 64 bits suffice to distinguish settings. */
const DIGEST_CHARACTERS = 16;

/** A digest that changes when the namespaces' bindings need to change. */
export function rolesDigest(roles: KeystoneSettings['roles']): string {
  const sorted = Object.entries(roles).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** Creates one RoleBinding per ClusterRole, for the groups whose role grants it. */
export function roleBindings(namespace: string, projectId: string, roles: KeystoneSettings['roles']): RoleBinding[] {
  const rolesByClusterRole = Map.groupBy(Object.entries(roles), ([, clusterRole]) => clusterRole);
  return [...rolesByClusterRole].map(([clusterRole, entries]) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { namespace, name: `keystone:${clusterRole}`, labels: { [PROJECT_LABEL]: projectId } },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole },
    subjects: entries.map(([role]) => ({ apiGroup: RBAC, kind: 'Group', name: projectGroup(projectId, role) })),
  }));
}
