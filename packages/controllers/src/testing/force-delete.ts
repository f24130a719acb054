import { CLUSTER_UID_LABEL, PAUSED_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { TEAM, type TestFairway } from './test-fairway.ts';

/** Deletes a Cluster without its controllers, as anyone with permission to remove finalizers can. */
export async function forceDelete(fairway: TestFairway, { metadata }: Cluster): Promise<void> {
  const { name = '' } = metadata;
  await pause(fairway, metadata.name);
  await removeObject(fairway, clusters, name);
}

/** Like `forceDelete`, including all of the team's pools and machines. */
export async function forceDeleteAll(fairway: TestFairway, { metadata }: Cluster): Promise<void> {
  await pause(fairway, metadata.name);
  const types: readonly ResourceType[] = [machines, nodePools, clusters];
  for (const type of types) {
    const { items } = await fairway.client.resource<KubeObject>(type).list({ namespace: TEAM });
    for (const object of items) await removeObject(fairway, type, object.metadata.name ?? '');
  }
}

/** A client for Secrets, and the selector for the Secret of the cluster's CA. */
export function caSecretOf(fairway: TestFairway, { metadata }: Cluster) {
  const selection = { namespace: SYSTEM_NAMESPACE, labelSelector: `${CLUSTER_UID_LABEL}=${metadata.uid}` };
  return { client: fairway.client.resource(Secrets), selection };
}

async function pause(fairway: TestFairway, name = ''): Promise<void> {
  await fairway.patch(clusters, name, { metadata: { annotations: { [PAUSED_ANNOTATION]: 'thief' } } });
}

async function removeObject(fairway: TestFairway, type: ResourceType, name: string): Promise<void> {
  const resource = fairway.client.resource<KubeObject>(type);
  const where = { namespace: TEAM };
  await ignoreDeleted(resource.patch(name, { type: 'merge', value: { metadata: { finalizers: null } } }, where));
  await ignoreDeleted(resource.delete(name, where));
}
