import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { bootstrapPolicySteps, type PolicyStep } from './reconciliation.ts';

/** Writes what is missing from the stored policy. The writes are concurrent and share one flush of the store. */
export async function writeBootstrapPolicy(client: KubeClient, reader: ObjectReader): Promise<void> {
  await Promise.all(bootstrapPolicySteps(reader).map((step) => write(client, step)));
}

async function write(client: KubeClient, { action, type, object }: PolicyStep): Promise<void> {
  const resource = client.resource(type);
  if (action === 'update') {
    await resource.update(object);
    return;
  }
  const { name = '', namespace } = object.metadata;
  if (action === 'recreate') await resource.delete(name, namespace === undefined ? {} : { namespace });
  await resource.create(object);
}
