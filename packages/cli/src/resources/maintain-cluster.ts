import { MAINTENANCE_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { clusterMaintained } from '../progress/maintenance-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { requestChange } from './request-change.ts';

/** Starts changes that wait for the cluster's maintenance window. */
export async function maintain(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: { readonly wait?: boolean; readonly timeout: number; readonly dryRun?: boolean },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const cluster = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const before = [cluster.status?.maintenance?.requested, cluster.metadata.annotations?.[MAINTENANCE_ANNOTATION]];
    const requested = requestTimeAfter(before, context.clock.now());
    const value = { metadata: { annotations: { [MAINTENANCE_ANNOTATION]: requested } } };
    const words = cluster.spec.maintenance?.window
      ? 'maintenance requested'
      : 'has no maintenance window, so nothing is waiting for one';
    const { dryRun } = options;
    const isRequested = await requestChange(context, connection, {
      kind: clusters,
      before: cluster,
      value,
      words,
      dryRun,
    });
    if (isRequested && options.wait)
      await waitFor(context, connection, name, clusterMaintained(name, requested), options.timeout);
  });
}
