import { versionOfTarget } from '@fairway/api/domain/upgrade-target';
import { ABORT_UPGRADE_ANNOTATION } from '@fairway/api/group';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { requestChange } from './request-change.ts';

export type PoolUpgradeVerb = 'pause' | 'resume' | 'abort-upgrade';

/** The values to write to the pool, and the message. */
export interface PoolUpgradeRequest {
  readonly value: object;
  readonly words: string;
}

/** Pauses, resumes or aborts the rollout of a pool's nodes. */
export async function requestPoolUpgrade(
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
    const request = requestFor(verb, pool);
    if ('nothing' in request) throw new CommandError(`node pool "${name}" ${request.nothing}`);
    await requestChange(context, connection, { kind: nodePools, before: pool, ...request, dryRun });
  });
}

/** The change that a verb makes to a pool, or why it makes no change. Pure. */
export function requestFor(verb: PoolUpgradeVerb, pool: NodePool): PoolUpgradeRequest | { readonly nothing: string } {
  const { name } = pool.metadata;
  const { upgrade } = pool.status ?? {};
  const isInProgress = upgrade !== undefined && upgrade.state !== 'Complete';
  const done = isInProgress ? `${upgrade.summary} nodes are updated to ${versionOfTarget(upgrade.target)}` : '';
  switch (verb) {
    case 'pause': {
      const what = isInProgress ? done : 'no node is being updated now';
      const words = `paused: no further node is updated until "fairway nodepool resume ${name}"; a replacement in progress is finished (${what})`;
      return { value: { spec: { upgradeStrategy: { paused: true } } }, words };
    }
    case 'resume': {
      const isAborted = pool.metadata.annotations?.[ABORT_UPGRADE_ANNOTATION] !== undefined;
      if (!pool.spec.upgradeStrategy.paused && !isAborted) {
        return { nothing: 'is not paused and its upgrade was not aborted: nothing to resume' };
      }
      const metadata = isAborted ? { metadata: { annotations: { [ABORT_UPGRADE_ANNOTATION]: null } } } : {};
      const words = isInProgress
        ? `resumed: the update of its nodes continues (${done})`
        : 'resumed: no nodes need an update';
      return { value: { ...metadata, spec: { upgradeStrategy: { paused: false } } }, words };
    }
    case 'abort-upgrade': {
      if (!isInProgress) return { nothing: 'has no upgrade in progress: nothing to abort' };
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
