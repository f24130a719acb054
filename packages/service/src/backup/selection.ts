import { DELETED_CLUSTER_LABEL, GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { GATEWAY_CA_TYPE } from '@fairway/gateway/management/gateway-ca';
import { FAIRWAY_BINDINGS, FAIRWAY_ROLES } from '@fairway/gateway/server/rbac';
import type { ClusterRole, ClusterRoleBinding, RoleBinding, Secret } from '@fairway/kube/kinds/generated/types';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ConfigMaps,
  RoleBindings,
  Roles,
  Secrets,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { PAUSABLE_KINDS } from './backed-up-kinds.ts';
import { RESTORE_LABEL } from './restore/restore-record.ts';

/** All objects that were read, by kind. */
export type Listing = ReadonlyMap<ResourceType, readonly KubeObject[]>;

/** The field manager of `fairway install`, which recreates its objects in the target. */
const INSTALLER = 'fairway-install';
const BOOTSTRAPPING_LABEL = 'kubernetes.io/bootstrapping';
const FAIRWAY_NAMES: ReadonlySet<string | undefined> = new Set([
  ...FAIRWAY_ROLES.map(({ metadata }) => metadata.name),
  ...FAIRWAY_BINDINGS.map(({ metadata }) => metadata.name),
]);
/** Secrets that are useless elsewhere: the source API's certificates and tokens, and Helm's release data. */
const BOUND_SECRET_TYPES: ReadonlySet<string | undefined> = new Set([
  GATEWAY_CA_TYPE,
  'kubernetes.io/service-account-token',
  'bootstrap.kubernetes.io/token',
  'helm.sh/release.v1',
]);

/**
 * The namespaces to back up: Fairway's own, those with its objects, and those that an operator has annotated for
 * backup.
 */
export function selectNamespaces(listing: Listing, namespaces: readonly KubeObject[]): ReadonlySet<string> {
  const kinds = [...PAUSABLE_KINDS, projectQuotas, usageRecords];
  const used = kinds.flatMap((type) => listing.get(type) ?? []).map(({ metadata }) => metadata.namespace);
  const annotatedNames = namespaces.filter(isAnnotated).map(({ metadata }) => metadata.name);
  const names = [SYSTEM_NAMESPACE, ...used, ...annotatedNames].filter((name) => name !== undefined);
  const present = new Set(namespaces.map(({ metadata }) => metadata.name));
  return new Set(names.filter((name) => present.has(name)));
}

function isAnnotated({ metadata }: KubeObject): boolean {
  return Object.keys({ ...metadata.annotations, ...metadata.labels }).some((key) => key.startsWith(`${GROUP}/`));
}

/**
 * The listed objects to back up. Omits objects that every target already has, and objects that a controller recreates
 * for an owner that is not backed up. `isShared`: the source is not dedicated to Fairway, so only roles for Fairway are
 * included.
 */
export function selectObjects(listing: Listing, isShared: boolean): Listing {
  const uids = new Set([...listing.values()].flat().map(({ metadata }) => metadata.uid));
  const isIncluded = ({ metadata: { ownerReferences = [] } }: KubeObject) =>
    ownerReferences.every(({ uid, controller }) => !controller || uids.has(uid));
  const objectsToBackUp = new Map(
    [...listing].map(([type, objects]) => [type, objects.filter((each) => isIncluded(each) && isBackedUp(type, each))]),
  );
  return isShared ? withoutUnrelatedRoles(objectsToBackUp) : objectsToBackUp;
}

function isBackedUp(type: ResourceType, object: KubeObject): boolean {
  const { name = '', labels = {}, managedFields = [] } = object.metadata;
  if (isOneOf(type, ConfigMaps)) {
    return (
      name !== 'kube-root-ca.crt' && labels[RESTORE_LABEL] === undefined && labels[DELETED_CLUSTER_LABEL] === undefined
    );
  }
  if (isOneOf(type, Secrets)) return !BOUND_SECRET_TYPES.has((object as Secret).type);
  const isInstalled = managedFields.some(({ manager }) => manager === INSTALLER);
  if (isOneOf(type, ServiceAccounts)) return name !== 'default' && !isInstalled;
  if (!isOneOf(type, Roles, RoleBindings, ClusterRoles, ClusterRoleBindings)) return true;
  return (
    !isInstalled && !FAIRWAY_NAMES.has(name) && !name.startsWith('system:') && labels[BOOTSTRAPPING_LABEL] === undefined
  );
}

/** Cluster-wide roles on a shared cluster: those for Fairway's kinds, and those referenced by an included binding. */
function withoutUnrelatedRoles(objectsToBackUp: Map<ResourceType, readonly KubeObject[]>): Listing {
  const boundRoleRefs = (objectsToBackUp.get(RoleBindings) ?? []).map((each) => (each as RoleBinding).roleRef);
  const clusterRoleNames = new Set(boundRoleRefs.filter(({ kind }) => kind === 'ClusterRole').map(({ name }) => name));
  const roles = (objectsToBackUp.get(ClusterRoles) ?? []).filter(
    (role) => clusterRoleNames.has(role.metadata.name ?? '') || concernsFairway(role as ClusterRole),
  );
  const known = new Set([...FAIRWAY_NAMES, ...roles.map(({ metadata }) => metadata.name)]);
  const bindings = (objectsToBackUp.get(ClusterRoleBindings) ?? []).filter((binding) =>
    known.has((binding as ClusterRoleBinding).roleRef.name),
  );
  return new Map([...objectsToBackUp, [ClusterRoles, roles], [ClusterRoleBindings, bindings]]);
}

function concernsFairway({ rules }: ClusterRole): boolean {
  return rules?.some(({ apiGroups }) => apiGroups?.includes(GROUP)) ?? false;
}

function isOneOf(type: ResourceType, ...types: readonly ResourceType[]): boolean {
  return types.includes(type);
}
