import { versionOfTarget } from '@fairway/api/domain/upgrade-target';
import { ABORT_UPGRADE_ANNOTATION } from '@fairway/api/group';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { requestChange } from './request-change.ts';

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
  { dryRun }: { readonly dryRun?: boolean },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { signal } = context;
    const pool = await client.resource(nodePools).get(name, { namespace, signal });
    const order = orderFor(verb, pool);
    if ('nothing' in order) throw new CommandError(`node pool "${name}" ${order.nothing}`);
    await requestChange(context, connection, { kind: nodePools, before: pool, ...order, dryRun });
  });
}

/** What the verb means for a pool as it is, or why it means nothing. Pure. */
export function orderFor(verb: PoolUpgradeVerb, pool: NodePool): PoolUpgradeOrder | { readonly nothing: string } {
  const { name } = pool.metadata;
  const { upgrade } = pool.status ?? {};
  const isUnderWay = upgrade !== undefined && upgrade.state !== 'Complete';
  const done = isUnderWay ? `${upgrade.summary} nodes are updated to ${versionOfTarget(upgrade.target)}` : '';
  switch (verb) {
    case 'pause': {
      const what = isUnderWay ? done : 'no node is being updated now';
      const words = `paused: no further node is updated until "fairway nodepool resume ${name}"; a replacement in progress is finished (${what})`;
      return { value: { spec: { upgradeStrategy: { paused: true } } }, words };
    }
    case 'resume': {
      const isAborted = pool.metadata.annotations?.[ABORT_UPGRADE_ANNOTATION] !== undefined;
      if (!pool.spec.upgradeStrategy.paused && !isAborted) {
        return { nothing: 'is not paused and its upgrade was not aborted: nothing to resume' };
      }
      const metadata = isAborted ? { metadata: { annotations: { [ABORT_UPGRADE_ANNOTATION]: null } } } : {};
      const words = isUnderWay
        ? `resumed: the update of its nodes continues (${done})`
        : 'resumed: no nodes need an update';
      return { value: { ...metadata, spec: { upgradeStrategy: { paused: false } } }, words };
    }
    case 'abort-upgrade': {
      if (!isUnderWay) return { nothing: 'has no upgrade in progress: nothing to abort' };
      if (upgrade.state === 'Aborted') {
        return {
          nothing: `has already aborted its upgrade to ${versionOfTarget(upgrade.target)}: run "fairway nodepool resume ${name}" to resume it`,
        };
      }
      const value = { metadata: { annotations: { [ABORT_UPGRADE_ANNOTATION]: upgrade.target } } };
      const words = `upgrade to ${versionOfTarget(upgrade.target)} aborted: updated nodes stay updated (${upgrade.summary}), the other nodes stay as they are; run "fairway nodepool resume ${name}" to resume it`;
      return { value, words };
    }
  }
}
