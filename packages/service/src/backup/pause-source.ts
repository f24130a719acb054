import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { BACKUP_PAUSE, isPaused } from '@fairway/api/pause';
import type { Clock } from '@fairway/base/clock';
import { inParallel } from '@fairway/base/in-parallel';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';
import { objectName } from './backed-up-kinds.ts';

const POLL_INTERVAL_MS = 250;
const CONCURRENCY = 16;

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Pauses all clusters and resolves when controllers have acknowledged the pause for every cluster, pool and machine, so
 * that nothing is in progress. Rejects with a CommandError on timeout; the clusters stay paused.
 */
export async function pauseSource(client: KubeClient, { clock, signal, timeoutMs }: Waiting): Promise<void> {
  const deadlineMs = clock.now() + timeoutMs;
  for (;;) {
    const { items } = await client.resource(clusters).list({ signal });
    await inParallel(
      items.filter((cluster) => !isPaused(cluster)),
      CONCURRENCY,
      (cluster) => pause(client, cluster),
    );
    const [waiting] = await unpausedNames(client, items, signal);
    if (waiting === undefined) return;
    if (clock.now() >= deadlineMs) {
      throw new CommandError(`${waiting} was not reported as paused within ${timeoutMs / 1000} s`, {
        exitCode: ExitCode.TimedOut,
        advice:
          'only a running Fairway can pause clusters; check that it is running. The clusters stay paused until "fairway cluster resume". If Fairway is stopped, --pause is not needed',
      });
    }
    await clock.sleep(POLL_INTERVAL_MS, signal);
  }
}

async function pause(client: KubeClient, { metadata }: Cluster): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  const value = { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: BACKUP_PAUSE } } };
  const options = { fieldManager: 'fairway', ...(namespace !== undefined && { namespace }) };
  await client.resource(clusters).patch(name, { type: 'merge', value }, options);
}

interface ClusterMember extends KubeObject {
  readonly spec: { readonly clusterName: string };
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** Names of the clusters, pools and machines that controllers may still be working on. */
async function unpausedNames(
  client: KubeClient,
  all: readonly Cluster[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const isReportedPaused = ({ status }: Pick<ClusterMember, 'status'>) => isConditionTrue(status?.conditions, 'Paused');
  const keys = new Set(all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const late = all.filter((cluster) => !isReportedPaused(cluster)).map((cluster) => objectName(clusters, cluster));
  const memberTypes: readonly ResourceType<ClusterMember>[] = [nodePools, machines];
  for (const type of memberTypes) {
    const { items } = await client.resource(type).list({ signal });
    const parts = items.filter(({ metadata, spec }) => keys.has(`${metadata.namespace}/${spec.clusterName}`));
    late.push(...parts.filter((part) => !isReportedPaused(part)).map((part) => objectName(type, part)));
  }
  return late;
}
