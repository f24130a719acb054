import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ConfigMaps,
  Namespaces,
  ResourceQuotas,
  RoleBindings,
  Roles,
  Secrets,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';

/**
 * Kinds that controllers reconcile, and that stay paused until the restore is complete. Owners come before their
 * dependents.
 */
export const PAUSABLE_KINDS: readonly ResourceType[] = [cloudCredentials, clusters, nodePools, machines];

/** RBAC kinds, restored once no other client can interfere with the objects that they grant access to. */
export const RBAC_KINDS: readonly ResourceType[] = [ClusterRoles, Roles, ClusterRoleBindings, RoleBindings];

/**
 * The kinds in a backup, in the order of a restore: namespaces first, owners before their dependents, and the clusters'
 * keys before the clusters, because controllers would otherwise generate new keys.
 */
export const BACKED_UP_KINDS: readonly ResourceType[] = [
  Namespaces,
  kubernetesReleases,
  plans,
  ResourceQuotas,
  projectQuotas,
  ServiceAccounts,
  ConfigMaps,
  cloudCredentials,
  Secrets,
  clusters,
  nodePools,
  machines,
  usageRecords,
  ...RBAC_KINDS,
];

const KIND_BY_NAME = new Map(BACKED_UP_KINDS.map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]));

/** The kind of an object, or undefined for one that is not backed up. */
export function backedUpKind({ apiVersion, kind }: KubeObject): ResourceType | undefined {
  return KIND_BY_NAME.get(`${apiVersion} ${kind}`);
}

/** `clusters.fairway.dev`, in kubectl's form. */
export function kindName({ plural, group }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `clusters.fairway.dev default/demo`, for messages. */
export function objectName(type: ResourceType, { metadata: { namespace, name } }: KubeObject): string {
  return `${kindName(type)} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
