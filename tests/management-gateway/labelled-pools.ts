import { nodePools } from '@fairway/api/kinds/node-pool';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';

/**
 * Resolves with the name of the first pool that gets the label `round`, as seen by an informer that was started before
 * `meanwhile`.
 */
export async function poolsLabelled(
  client: KubeClient,
  { namespace, round }: { readonly namespace: string; readonly round: string },
  meanwhile: () => Promise<void>,
): Promise<string[]> {
  const stop = new AbortController();
  const informer = new Informer(client.resource(nodePools), { namespace });
  const found = Promise.withResolvers<string[]>();
  informer.addHandler({
    onUpdate: (_, { metadata }) => {
      if (metadata.labels?.['round'] === round) found.resolve([metadata.name ?? '']);
    },
  });
  informer.start(stop.signal);
  await informer.whenSynced();
  try {
    await meanwhile();
    return await found.promise;
  } finally {
    stop.abort();
    await informer.stopped;
  }
}
