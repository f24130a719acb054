import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
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

/** Kinds that the controllers act on, and so are paused until all is there. Owners before what they own. */
export const PAUSABLE_KINDS: readonly ResourceType[] = [cloudCredentials, clusters, nodePools, machines];

/** Kinds of people's rights: made when nobody can get between the objects that they are about any more. */
export const ACCESS_KINDS: readonly ResourceType[] = [ClusterRoles, Roles, ClusterRoleBindings, RoleBindings];

/**
 * What a backup holds, in the order in which it is restored: namespaces first, owners before what they own, the clusters' keys before the
 * clusters, so that nobody makes new ones for them.
 */
export const BACKED_UP_KINDS: readonly ResourceType[] = [
  Namespaces,
  kubernetesReleases,
  plans,
  ResourceQuotas,
  ServiceAccounts,
  ConfigMaps,
  cloudCredentials,
  Secrets,
  clusters,
  nodePools,
  machines,
  ...ACCESS_KINDS,
];

const BY_NAME = new Map(BACKED_UP_KINDS.map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]));

/** The kind of an object, or undefined for one that no backup holds. */
export function backedUpKind({ apiVersion, kind }: KubeObject): ResourceType | undefined {
  return BY_NAME.get(`${apiVersion} ${kind}`);
}

/** `clusters.fairway.dev`, as kubectl names a kind. */
export function kindName({ plural, group }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `clusters.fairway.dev default/demo`, for people. */
export function objectName(type: ResourceType, { metadata: { namespace, name } }: KubeObject): string {
  return `${kindName(type)} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
