import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { writeBootstrapPolicy } from '@fairway/apiserver/auth/bootstrap-policy/write-policy';
import { createIfMissing } from '@fairway/kube/client/create-if-missing';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ClusterRole, Namespace } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, Namespaces } from '@fairway/kube/kinds/resources';
import { FAIRWAY_BINDINGS, FAIRWAY_ROLES, withReplacedRules } from './rbac.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', SYSTEM_NAMESPACE];

/**
 * Creates the initial objects of Fairway's API if they are missing. Objects that the operator has edited stay
 * unchanged; only rules that still match what an older release shipped are updated.
 */
export async function bootstrap(client: KubeClient, reader: ObjectReader): Promise<void> {
  const namespaces = NAMESPACES.map((name): Namespace => ({ metadata: { name }, spec: {} }));
  await Promise.all(namespaces.map((namespace) => createIfMissing(client, reader, Namespaces, namespace)));
  await writeBootstrapPolicy(client, reader);
  await Promise.all([
    ...FAIRWAY_ROLES.map((role) => createIfMissing(client, reader, ClusterRoles, role)),
    ...FAIRWAY_ROLES.map((role) => replaceRules(client, reader.get(ClusterRoles, '', role.metadata.name ?? ''))),
    ...FAIRWAY_BINDINGS.map((binding) => createIfMissing(client, reader, ClusterRoleBindings, binding)),
    ...SHIPPED_PLANS.map((plan) => createIfMissing(client, reader, plans, plan)),
    ...SHIPPED_RELEASES.map((release) => createIfMissing(client, reader, kubernetesReleases, release)),
  ]);
}

async function replaceRules(client: KubeClient, stored: ClusterRole | undefined): Promise<void> {
  const role = stored && withReplacedRules(stored);
  if (role !== undefined) await client.resource(ClusterRoles).update(role);
}
