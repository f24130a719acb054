import { ABORT_UPGRADE_ANNOTATION } from '@fairway/api/group';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { qualifiedName } from './kinds.ts';

export type PoolUpgradeVerb = 'pause' | 'resume' | 'abort-upgrade';

/** What is written to the pool, and what is said of it. */
export interface PoolUpgradeOrder {
  readonly value: object;
  readonly words: string;
}

/** Pauses the renewal of a pool's nodes, lets it go on, or ends it where it is. */
export async function orderPoolUpgrade(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  verb: PoolUpgradeVerb,
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }: Connection) => {
    const { signal } = context;
    const pool = await client.resource(nodePools).get(name, { namespace, signal });
    const order = orderFor(verb, pool);
    if ('nothing' in order) throw new CommandError(`node pool "${name}" ${order.nothing}`);
    const patch = { type: 'merge', value: order.value } as const;
    await client.resource(nodePools).patch(name, patch, { namespace, fieldManager: 'fairway', signal });
    context.stdout.write(`${qualifiedName(nodePools, name)} ${order.words}\n`);
  });
}

/** What the verb means for a pool as it is, or why it means nothing. Pure. */
export function orderFor(verb: PoolUpgradeVerb, pool: NodePool): PoolUpgradeOrder | { readonly nothing: string } {
  const { name } = pool.metadata;
  const { upgrade } = pool.status ?? {};
  const isUnderWay = upgrade !== undefined && upgrade.state !== 'Complete';
  const done = isUnderWay ? `${upgrade.summary} nodes are renewed to ${upgrade.target}` : '';
  switch (verb) {
    case 'pause': {
      const what = isUnderWay ? done : 'none is being renewed now';
      const words = `paused: no further node is renewed until "fairway nodepool resume ${name}"; one whose replacement is being made is finished (${what})`;
      return { value: { spec: { upgradeStrategy: { paused: true } } }, words };
    }
    case 'resume': {
      const isAborted = pool.metadata.annotations?.[ABORT_UPGRADE_ANNOTATION] !== undefined;
      if (!pool.spec.upgradeStrategy.paused && !isAborted) {
        return { nothing: 'is neither paused nor was its upgrade aborted: there is nothing to resume' };
      }
      const metadata = isAborted ? { metadata: { annotations: { [ABORT_UPGRADE_ANNOTATION]: null } } } : {};
      const words = isUnderWay
        ? `resumed: its nodes are renewed further (${done})`
        : 'resumed: nothing is to be renewed now';
      return { value: { ...metadata, spec: { upgradeStrategy: { paused: false } } }, words };
    }
    case 'abort-upgrade': {
      if (!isUnderWay) return { nothing: 'has no upgrade under way: there is nothing to abort' };
      if (upgrade.state === 'Aborted') {
        return {
          nothing: `has aborted its upgrade to ${upgrade.target} already: "fairway nodepool resume ${name}" goes on with it`,
        };
      }
      const value = { metadata: { annotations: { [ABORT_UPGRADE_ANNOTATION]: upgrade.target } } };
      const words = `upgrade to ${upgrade.target} aborted: what is renewed stays so (${upgrade.summary}), and the other nodes as they are; "fairway nodepool resume ${name}" goes on after all`;
      return { value, words };
    }
  }
}
