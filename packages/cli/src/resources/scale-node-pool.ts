import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { dryRunText } from '../output/changes.ts';
import { poolReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

interface ScaleOptions extends WaitOptions {
  readonly nodes: number;
  readonly dryRun?: boolean;
}

export async function scaleNodePool(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: ScaleOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const pool = await client.resource(nodePools).get(name, { namespace, signal: context.signal });
    await scale(context, connection, pool, options);
  });
}

/** Scales the only pool of a cluster, or the named one. */
export async function scaleCluster(
  context: CliContext,
  globals: GlobalOptions,
  clusterName: string,
  options: ScaleOptions & { readonly pool?: string },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { items } = await client.resource(nodePools).list({ namespace, signal: context.signal });
    const pools = items.filter(({ spec }) => spec.clusterName === clusterName);
    await scale(context, connection, chosen(clusterName, pools, options.pool), options);
  });
}

function chosen(clusterName: string, pools: readonly NodePool[], name: string | undefined): NodePool {
  const names = pools.map(({ metadata }) => metadata.name).join(', ');
  const [only, second] = name === undefined ? pools : pools.filter(({ metadata }) => metadata.name === name);
  if (only !== undefined && second === undefined) return only;
  if (pools.length === 0) {
    throw new CommandError(`the namespace has no node pool of cluster "${clusterName}"`, {
      advice: `fairway nodepool create NAME --cluster ${clusterName} --flavor NAME`,
    });
  }
  if (name === undefined) {
    throw new CommandError(`cluster "${clusterName}" has several pools`, {
      advice: `choose one with --pool: ${names}`,
    });
  }
  throw new CommandError(`cluster "${clusterName}" has no pool "${name}"`, { advice: `it has: ${names}` });
}

/** Uses the scale subresource, so permission to scale pools suffices. */
async function scale(
  context: CliContext,
  connection: Connection,
  pool: NodePool,
  { nodes, dryRun = false, wait, timeout }: ScaleOptions,
): Promise<void> {
  const { client, namespace } = connection;
  const { name = '' } = pool.metadata;
  const patch = { type: 'merge', value: { spec: { replicas: nodes } } } as const;
  const write = { namespace, subresource: 'scale', fieldManager: 'fairway', signal: context.signal, dryRun };
  await client.resource(nodePools).patch(name, patch, write);
  const sentence = `${qualifiedName(nodePools, name)} scaled to ${nodes}`;
  if (dryRun) {
    const after = { ...pool, spec: { ...pool.spec, replicas: nodes } };
    context.stdout.write(dryRunText(sentence, pool, after));
    return;
  }
  context.stdout.write(`${sentence}\n`);
  if (wait) await waitFor(context, connection, pool.spec.clusterName, poolReady(name), timeout);
}
