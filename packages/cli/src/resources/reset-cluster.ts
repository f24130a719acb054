import { clusters } from '@fairway/api/kinds/cluster';
import { CommandError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { clusterReset } from '../progress/reset-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

export interface ResetOptions extends WaitOptions {
  readonly nodes: 'delete' | 'reinstall';
  readonly version?: string;
  readonly yes?: boolean;
}

const POLICIES = { delete: 'Delete', reinstall: 'Reinstall' } as const;

/** Asks for a reset, after the user has confirmed it. */
export async function resetCluster(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: ResetOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { signal } = context;
    const { metadata, spec: old, status } = await client.resource(clusters).get(name, { namespace, signal });
    const question = `Delete everything in cluster "${name}", and all its credentials?`;
    if (!options.yes && context.confirm && !(await context.confirm(question))) {
      throw new CommandError('nothing was reset');
    }
    const requestedAt = requestTimeAfter([status?.reset?.requestedAt, old.reset?.requestedAt], context.clock.now());
    const reset = { requestedAt, confirm: name, nodes: POLICIES[options.nodes] };
    const spec = { reset, ...(options.version !== undefined && { version: options.version }) };
    // Not another cluster of the name that somebody has made meanwhile.
    const value = { metadata: { uid: metadata.uid }, spec };
    await client
      .resource(clusters)
      .patch(name, { type: 'merge', value }, { namespace, fieldManager: 'fairway', signal });
    context.stdout.write(`${qualifiedName(clusters, name)} reset requested\n`);
    if (options.wait) await waitFor(context, connection, name, clusterReset(name, requestedAt), options.timeout);
  });
}
