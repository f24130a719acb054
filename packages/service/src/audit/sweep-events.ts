import type { NamespaceArchive } from '@fairway/apiserver/audit/namespace-archive';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';

const HOUR_MS = 3_600_000;

/** Deletes the audit events of deleted namespaces every hour; returns a function that stops the deletion. */
export function sweepEvents(
  events: NamespaceArchive,
  { client, clock, log }: { readonly client: KubeClient; readonly clock: Clock; readonly log: Logger },
): () => Promise<void> {
  const startSweep = async () => {
    const { items } = await client.metadata(Namespaces).list();
    await events.sweep(new Set(items.map(({ metadata }) => metadata.name ?? '')));
  };
  return every(HOUR_MS, clock, startSweep, (error) =>
    log.warn({ err: error }, 'could not delete audit events of deleted namespaces'),
  );
}
