import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { FAIRWAY_BINDINGS, FAIRWAY_ROLES } from '@fairway/gateway/server/rbac';
import type { Namespace, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import {
  ClusterRoleBindings,
  ClusterRoles,
  Namespaces,
  RoleBindings,
  Roles,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { definitions } from './definitions.ts';
import { PERMISSIONS, SERVICE_ACCOUNT } from './permissions.ts';

/** An object that a management cluster needs. */
export interface Manifest {
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** Whether the object belongs to the operator once created; if so, it is never updated. */
  readonly isOperatorOwned: boolean;
}

/** The objects that make a cluster a management cluster, in the order in which they are applied. */
export function manifests(): Manifest[] {
  const namespace: Namespace = { metadata: { name: SYSTEM_NAMESPACE }, spec: {} };
  const account: ServiceAccount = { metadata: { name: SERVICE_ACCOUNT, namespace: SYSTEM_NAMESPACE } };
  return [
    ...fairwayManifests(Namespaces, [namespace]),
    ...fairwayManifests(CustomResourceDefinitions, definitions()),
    ...fairwayManifests(ClusterRoles, [...FAIRWAY_ROLES, ...PERMISSIONS.clusterRoles]),
    ...fairwayManifests(ClusterRoleBindings, [...FAIRWAY_BINDINGS, ...PERMISSIONS.clusterRoleBindings]),
    ...fairwayManifests(ServiceAccounts, [account]),
    ...fairwayManifests(Roles, PERMISSIONS.roles),
    ...fairwayManifests(RoleBindings, PERMISSIONS.roleBindings),
    ...operatorManifests(plans, SHIPPED_PLANS),
    ...operatorManifests(kubernetesReleases, SHIPPED_RELEASES),
  ];
}

function fairwayManifests<T extends KubeObject>(type: ResourceType<T>, objects: readonly T[]): Manifest[] {
  return objects.map((object) => ({ type, object: typed(type, object), isOperatorOwned: false }));
}

function operatorManifests<T extends KubeObject>(type: ResourceType<T>, objects: readonly T[]): Manifest[] {
  return objects.map((object) => ({ type, object: typed(type, object), isOperatorOwned: true }));
}

function typed<T extends KubeObject>(type: ResourceType<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}
