import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { requestChange } from './request-change.ts';

export interface PauseOptions {
  /** All clusters in all namespaces. */
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** Pauses or resumes reconciliation of clusters, with their pools and machines. */
export async function setPaused(
  context: CliContext,
  globals: GlobalOptions,
  names: readonly string[],
  { all = false, dryRun }: PauseOptions,
  paused: boolean,
): Promise<void> {
  if (all !== (names.length === 0)) throw usageError('no clusters given: pass their names, or --all');
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const resource = client.resource(clusters);
    const selectedClusters = all
      ? (await resource.list({ signal: context.signal })).items
      : await Promise.all(names.map((name) => resource.get(name, { namespace, signal: context.signal })));
    for (const cluster of selectedClusters) {
      const value = { metadata: { annotations: { [PAUSED_ANNOTATION]: paused ? 'true' : null } } };
      const words = paused ? 'paused' : 'resumed';
      await requestChange(context, connection, { kind: clusters, before: cluster, value, words, dryRun });
    }
  });
}
