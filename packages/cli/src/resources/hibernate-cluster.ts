import { clusters } from '@fairway/api/kinds/cluster';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
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
    const { spec, status } = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const before = [spec.hibernation?.requestedAt, status?.hibernation?.followed?.requestedAt];
    const requestedAt = requestTimeAfter(before, context.clock.now());
    const patch = { type: 'merge', value: { spec: { hibernation: { enabled, requestedAt } } } } as const;
    await client.resource(clusters).patch(name, patch, { namespace, fieldManager: 'fairway', signal: context.signal });
    context.stdout.write(`${qualifiedName(clusters, name)} ${enabled ? 'hibernation' : 'waking'} requested\n`);
    const goal = enabled ? clusterHibernated(name) : clusterAwake(name);
    if (options.wait) await waitFor(context, connection, name, goal, options.timeout);
  });
}
