import { clusters } from '@fairway/api/kinds/cluster';
import { withConnection } from '../client/connect.ts';
import { confirm } from '../command/confirm.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { clusterReset } from '../progress/reset-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { requestChange } from './request-change.ts';

export interface ResetOptions extends WaitOptions {
  readonly nodes: 'delete' | 'reinstall';
  readonly version?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const POLICIES = { delete: 'Delete', reinstall: 'Reinstall' } as const;

/** Requests a reset after the user has confirmed it. */
export async function resetCluster(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: ResetOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { signal } = context;
    const before = await client.resource(clusters).get(name, { namespace, signal });
    const { spec: old, status } = before;
    const question = `Delete everything in cluster "${name}", and all its credentials?`;
    if (!options.dryRun) await confirm(context, { question, declinedMessage: 'nothing was reset' }, options);
    const requestedAt = requestTimeAfter([status?.reset?.requestedAt, old.reset?.requestedAt], context.clock.now());
    const reset = { requestedAt, confirm: name, nodes: POLICIES[options.nodes] };
    const spec = { reset, ...(options.version !== undefined && { version: options.version }) };
    const { dryRun } = options;
    const request = { kind: clusters, before, value: { spec }, words: 'reset requested', dryRun };
    const isRequested = await requestChange(context, connection, request);
    if (isRequested && options.wait)
      await waitFor(context, connection, name, clusterReset(name, requestedAt), options.timeout);
  });
}
