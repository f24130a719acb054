import { CLUSTER_LABEL } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Events } from '@fairway/kube/kinds/resources';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { alignColumns } from '../output/table.ts';
import { eventRow, lastSeen } from './event-row.ts';

/** Prints what happened to a cluster, its pools and its machines, as one story: the latest last. */
export async function listClusterEvents(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: { readonly output?: string },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const uids = await uidsOf(connection, name, context.signal);
    const { items } = await client.resource(Events).list({ namespace, signal: context.signal });
    const story = items
      .filter(({ involvedObject }) => uids.has(involvedObject.uid))
      .toSorted((a, b) => lastSeen(a).localeCompare(lastSeen(b)));
    if (options.output === 'json') {
      const list = { apiVersion: 'v1', kind: 'List', items: story };
      context.stdout.write(`${JSON.stringify(list, undefined, 4)}\n`);
      return;
    }
    if (story.length === 0) {
      context.stderr.write(`No events of cluster ${name}: they are kept for a while only.\n`);
      return;
    }
    context.stdout.write(alignColumns([['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'], ...story.map(eventRow)]));
  });
}

/** Of the cluster and of what belongs to it now. Rejects if there is no such cluster. */
async function uidsOf(
  { client, namespace }: Connection,
  name: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string | undefined>> {
  const options = { namespace, signal };
  const [cluster, pools, nodes] = await Promise.all([
    client.resource(clusters).get(name, options),
    client.resource(nodePools).list(options),
    client.metadata(machines).list({ ...options, labelSelector: `${CLUSTER_LABEL}=${name}` }),
  ]);
  const ofCluster = pools.items.filter(({ spec }) => spec.clusterName === name);
  return new Set([cluster, ...ofCluster, ...nodes.items].map(({ metadata }) => metadata.uid));
}
