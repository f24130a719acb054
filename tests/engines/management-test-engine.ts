import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { fillCatalogue, fillNamespaces, TEAM, type TestEngine } from '@fairway/controllers/testing/test-engine';
import { unreliable } from '@fairway/controllers/testing/unreliable-api';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { Events, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { openManagementEngine } from '@fairway/service/fairway/management-engine';
import type { ManagementCluster } from '../management/management-cluster.ts';

const tenantKinds: readonly ResourceType[] = KINDS.filter(({ namespaced }) => namespaced);

/**
 * A management cluster that tests use one after another. Each test finds it as good as new, and controllers act as
 * the ServiceAccount that `install` created.
 */
export async function openManagementTestEngine(cluster: ManagementCluster, clock: Clock): Promise<TestEngine> {
  if (clock instanceof SteppingClock)
    throw new TypeError("a stepping clock waits for requests, but not for kube-apiserver's work between them");
  const client = cluster.adminClient(clock);
  await sweep(client);
  await fillNamespaces(client);
  await fillCatalogue(client);
  return {
    client,
    connect: ({ chooseFault, ...shared }) => {
      const wrap = (transport: Transport) => (chooseFault ? unreliable(transport, chooseFault) : transport);
      return openManagementEngine({ client: cluster.controllersClient(clock, wrap), ...shared });
    },
    [Symbol.asyncDispose]: async () => client.close(),
  };
}

/** Removes objects that the last test left behind: no controller handles their finalizers any longer. */
async function sweep(client: KubeClient): Promise<void> {
  await Promise.all([...tenantKinds, plans, kubernetesReleases].map((type) => empty(client, type)));
  const ownSecrets = { labelSelector: 'fairway.dev/cluster-uid', namespace: SYSTEM_NAMESPACE };
  await client.resource(Secrets).deleteCollection(ownSecrets);
  await client.resource(Events).deleteCollection({ namespace: TEAM });
  await waitUntilDeleted(client, TEAM);
}

/** Waits until a terminating namespace is deleted, because it accepts no new objects. */
async function waitUntilDeleted(client: KubeClient, name: string): Promise<void> {
  const { items } = await client.resource(Namespaces).list({ fieldSelector: `metadata.name=${name}` });
  if (items[0]?.metadata.deletionTimestamp === undefined) return;
  await eventuallyDeleted(client.resource(Namespaces), { name });
}

async function empty(client: KubeClient, type: ResourceType): Promise<void> {
  const resource = client.resource<KubeObject>(type);
  const { items } = await resource.list();
  if (items.length === 0) return;
  await Promise.all(
    items.map(async ({ metadata }) => {
      const where = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
      const value = { metadata: { finalizers: null } };
      await ignoreDeleted(resource.patch(metadata.name ?? '', { type: 'merge', value }, where));
      await ignoreDeleted(resource.delete(metadata.name ?? '', where));
    }),
  );
  await eventually(resource, {}, (remaining) => remaining.length === 0);
}
