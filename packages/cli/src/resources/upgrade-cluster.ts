import { clusters } from '@fairway/api/kinds/cluster';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { dryRunText } from '../output/changes.ts';
import { clusterUpgraded } from '../progress/upgrade-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';
import { type UpgradeStrategy, type VersionWithReason, versionFor } from './upgrade-strategy.ts';

interface UpgradeOptions {
  /** A minor or exact version. */
  readonly to?: string;
  readonly strategy?: UpgradeStrategy;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Raises spec.version; the server decides whether that is possible and explains why not. */
export async function upgradeCluster(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: UpgradeOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const chosen =
      options.to === undefined
        ? await chooseVersion(context, connection, name, options.strategy)
        : { version: options.to };
    if ('nothing' in chosen) {
      context.stdout.write(`${qualifiedName(clusters, name)} ${chosen.nothing}\n`);
      return;
    }
    if ('why' in chosen) context.stderr.write(`${chosen.why}\n`);
    const { version } = chosen;
    const { client, namespace } = connection;
    const patch = { type: 'merge', value: { spec: { version } } } as const;
    const write = { namespace, fieldManager: 'fairway', signal: context.signal, dryRun: options.dryRun === true };
    const sentence = `${qualifiedName(clusters, name)} upgrade to ${version} requested`;
    if (options.dryRun) {
      const before = await client.resource(clusters).get(name, { namespace, signal: context.signal });
      const after = await client.resource(clusters).patch(name, patch, write);
      context.stdout.write(dryRunText(sentence, before, after));
      return;
    }
    await client.resource(clusters).patch(name, patch, write);
    context.stdout.write(`${sentence}\n`);
    if (options.wait) await waitFor(context, connection, name, clusterUpgraded(name, version), options.timeout);
  });
}

export async function chooseVersion(
  { signal }: Pick<CliContext, 'signal'>,
  { client, namespace }: Connection,
  name: string,
  strategy: UpgradeStrategy | undefined,
): Promise<VersionWithReason> {
  return versionFor(await client.resource(clusters).get(name, { namespace, signal }), strategy);
}
