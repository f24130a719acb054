import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { bootstrapPolicySteps } from '@fairway/kube/auth/bootstrap-policy/reconciliation';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import type { ObjectReader } from '@fairway/kube/server/object-reader';
import { CATALOGUE_BINDING, FAIRWAY_ROLES } from './rbac.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', SYSTEM_NAMESPACE];

/**
 * Makes what Fairway's API holds from the start, where it is missing: what the operator changed or removed rules on
 * purpose stays as it is.
 */
export async function bootstrap(client: KubeClient, reader: ObjectReader): Promise<void> {
  for (const name of NAMESPACES) {
    await createIfMissing<Namespace>(client, reader, Namespaces, { metadata: { name }, spec: {} });
  }
  for (const step of bootstrapPolicySteps(reader)) {
    const resource = client.resource(step.type);
    const { name = '', namespace } = step.object.metadata;
    if (step.action === 'recreate') await resource.delete(name, namespace === undefined ? {} : { namespace });
    if (step.action === 'update') await resource.update(step.object);
    else await resource.create(step.object);
  }
  for (const role of FAIRWAY_ROLES) await createIfMissing(client, reader, ClusterRoles, role);
  await createIfMissing(client, reader, ClusterRoleBindings, CATALOGUE_BINDING);
  for (const plan of SHIPPED_PLANS) await createIfMissing(client, reader, plans, plan);
  for (const release of SHIPPED_RELEASES) await createIfMissing(client, reader, kubernetesReleases, release);
}

async function createIfMissing<T extends KubeObject>(
  client: KubeClient,
  reader: ObjectReader,
  type: ResourceType<T>,
  object: T,
): Promise<void> {
  if (reader.get(type, object.metadata.namespace ?? '', object.metadata.name ?? '') !== undefined) return;
  try {
    await client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
