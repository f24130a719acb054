import { CLUSTER_LABEL } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { Event } from '@fairway/kube/kinds/generated/types';
import { Events } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { dump } from 'js-yaml';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { alignColumns } from '../output/table.ts';
import { compareLastSeen, eventRow } from './event-row.ts';
import type { KindName } from './kind-names.ts';

/** Prints the events of a cluster or pool with its dependents, or of a machine, as one timeline, latest last. */
export async function listEvents(
  context: CliContext,
  globals: GlobalOptions,
  kind: KindName,
  name: string,
  options: { readonly output?: string },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const timeline = await timelineOf(connection, kind, name, context.signal);
    if (options.output === 'json' || options.output === 'yaml') {
      const list = { apiVersion: 'v1', kind: 'List', items: timeline.map(withoutManagedFields) };
      const isJson = options.output === 'json';
      context.stdout.write(
        isJson ? `${JSON.stringify(list, undefined, 4)}\n` : dump(list, { lineWidth: -1, noRefs: true }),
      );
      return;
    }
    if (timeline.length === 0) {
      context.stderr.write(`No events of ${kind} ${name}. Events are deleted after a while.\n`);
      return;
    }
    const nowMs = context.clock.now();
    context.stdout.write(alignColumns([EVENT_HEADINGS, ...timeline.map((event) => eventRow(event, nowMs))]));
  });
}

export const EVENT_HEADINGS = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];

/** The events of an object and its dependents, latest last. */
export async function timelineOf(
  connection: Connection,
  kind: KindName,
  name: string,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const objects = await involvedObjects(connection, kind, name, signal);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const { items } = await connection.client.resource(Events).list({ namespace: connection.namespace, signal });
  return items.filter(({ involvedObject }) => uids.has(involvedObject.uid)).toSorted(compareLastSeen);
}

/** The object and its current dependents. Rejects if the object does not exist. */
async function involvedObjects(
  { client, namespace }: Connection,
  kind: KindName,
  name: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const options = { namespace, signal };
  const machinesOf = async (clusterName: string) => {
    const labelSelector = `${CLUSTER_LABEL}=${clusterName}`;
    return (await client.resource(machines).list({ ...options, labelSelector })).items;
  };
  switch (kind) {
    case 'cluster': {
      const [cluster, pools, nodes] = await Promise.all([
        client.metadata(clusters).get(name, options),
        client.resource(nodePools).list(options),
        machinesOf(name),
      ]);
      return [cluster, ...pools.items.filter(({ spec }) => spec.clusterName === name), ...nodes];
    }
    case 'nodepool': {
      const pool = await client.resource(nodePools).get(name, options);
      const nodes = await machinesOf(pool.spec.clusterName);
      return [pool, ...nodes.filter(({ spec }) => spec.nodePoolName === name)];
    }
    case 'machine':
      return [await client.metadata(machines).get(name, options)];
  }
}

/** In kubectl's notation. */
function withoutManagedFields({ metadata: written, ...event }: Event): Event {
  const { managedFields: _, ...metadata } = written;
  return { ...event, metadata };
}
