import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeObject } from '@fairway/kube/object/meta';
import { usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { changesOf, dryRunText } from '../output/changes.ts';
import { objectUpdated } from '../progress/update-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';
import { type ClusterChange, clusterPatch, type NodePoolChange, nodePoolPatch } from './update-patch.ts';

interface UpdateOptions extends WaitOptions {
  readonly dryRun?: boolean;
}

export async function updateCluster(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: UpdateOptions & ClusterChange,
): Promise<void> {
  await update(context, globals, { kindName: 'cluster', name, spec: clusterPatch(options) }, options);
}

export async function updateNodePool(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: UpdateOptions & NodePoolChange,
): Promise<void> {
  await update(context, globals, { kindName: 'nodepool', name, spec: nodePoolPatch(options) }, options);
}

interface Update {
  readonly kindName: 'cluster' | 'nodepool';
  readonly name: string;
  /** A merge patch for the spec. */
  readonly spec: object;
}

/** Changes fields of a spec, prints the changed values, and waits until the change is done. */
async function update(
  context: CliContext,
  globals: GlobalOptions,
  { kindName, name, spec }: Update,
  { dryRun = false, wait, timeout }: UpdateOptions,
): Promise<void> {
  if (Object.keys(spec).length === 0) {
    throw usageError('no changes given', `set a field: see fairway ${kindName} update --help`);
  }
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { signal } = context;
    const kind = kindName === 'cluster' ? clusters : nodePools;
    const resource = kindName === 'cluster' ? client.resource(clusters) : client.resource(nodePools);
    const before: KubeObject = await resource.get(name, { namespace, signal });
    // Not a newer object with the same name.
    const value = { metadata: { uid: before.metadata.uid }, spec };
    const write = { namespace, fieldManager: 'fairway', signal, dryRun };
    const after: KubeObject = await resource.patch(name, { type: 'merge', value }, write);
    const changes = changesOf(before, after);
    const sentence = `${qualifiedName(kind, name)} ${changes.length === 0 ? 'unchanged' : 'updated'}`;
    if (dryRun) {
      context.stdout.write(dryRunText(sentence, before, after));
      return;
    }
    context.stdout.write([sentence, ...changes.map((line) => `  ${line}`), ''].join('\n'));
    if (!wait) return;
    const clusterName = 'spec' in after ? ((after.spec as { clusterName?: string }).clusterName ?? name) : name;
    await waitFor(
      context,
      connection,
      clusterName,
      objectUpdated({ kind: kindName, name, uid: after.metadata.uid }),
      timeout,
    );
  });
}
