import { nodePools } from '@fairway/api/kinds/node-pool';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { poolReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

/** Through the scale subresource, so that permission to scale pools suffices. */
export async function scaleNodePool(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & { readonly nodes: number },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const pool = await client.resource(nodePools).get(name, { namespace, signal: context.signal });
    const patch = { type: 'merge', value: { spec: { replicas: options.nodes } } } as const;
    const write = { namespace, subresource: 'scale', fieldManager: 'fairway', signal: context.signal };
    await client.resource(nodePools).patch(name, patch, write);
    context.stdout.write(`${qualifiedName(nodePools, name)} scaled to ${options.nodes}\n`);
    if (options.wait) await waitFor(context, connection, pool.spec.clusterName, poolReady(name), options.timeout);
  });
}
