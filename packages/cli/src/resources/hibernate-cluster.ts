import { clusters } from '@fairway/api/kinds/cluster';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { clusterAwake, clusterHibernated } from '../progress/hibernation-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

export function hibernate(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions,
): Promise<void> {
  return request(context, globals, { name, enabled: true }, options);
}

export function wake(context: CliContext, globals: GlobalOptions, name: string, options: WaitOptions): Promise<void> {
  return request(context, globals, { name, enabled: false }, options);
}

/** With the time, so that it counts after a schedule too. */
async function request(
  context: CliContext,
  globals: GlobalOptions,
  { name, enabled }: { readonly name: string; readonly enabled: boolean },
  options: WaitOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const requestedAt = new Date(context.clock.now()).toISOString();
    const patch = { type: 'merge', value: { spec: { hibernation: { enabled, requestedAt } } } } as const;
    await client.resource(clusters).patch(name, patch, { namespace, fieldManager: 'fairway', signal: context.signal });
    context.stdout.write(`${qualifiedName(clusters, name)} ${enabled ? 'hibernation' : 'waking'} requested\n`);
    const goal = enabled ? clusterHibernated(name) : clusterAwake(name);
    if (options.wait) await waitFor(context, connection, name, goal, options.timeout);
  });
}
