import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { qualifiedName } from './kinds.ts';

export interface PauseOptions {
  /** All clusters in all namespaces. */
  readonly all?: boolean;
}

/** Pauses or resumes reconciliation of clusters, with their pools and machines. */
export async function setPaused(
  context: CliContext,
  globals: GlobalOptions,
  names: readonly string[],
  { all = false }: PauseOptions,
  paused: boolean,
): Promise<void> {
  if (all !== (names.length === 0)) throw usageError('which clusters? Give their names, or --all for every one');
  await withConnection(context, globals, async ({ client, namespace }) => {
    const resource = client.resource(clusters);
    const chosen = all
      ? (await resource.list({ signal: context.signal })).items
      : await Promise.all(names.map((name) => resource.get(name, { namespace, signal: context.signal })));
    for (const cluster of chosen) {
      if (isPaused(cluster) !== paused) await annotate(resource, cluster, paused);
      const name = qualifiedName(clusters, cluster.metadata.name ?? '');
      context.stdout.write(`${name} ${paused ? 'paused' : 'resumed'}\n`);
    }
  });
}

async function annotate(resource: ResourceClient<Cluster>, { metadata }: Cluster, paused: boolean): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  const value = { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: paused ? 'true' : null } } };
  const options = { fieldManager: 'fairway', ...(namespace !== undefined && { namespace }) };
  await resource.patch(name, { type: 'merge', value }, options);
}
