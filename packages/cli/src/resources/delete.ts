import { CLUSTER_LABEL } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type Connection, withConnection } from '../client/connect.ts';
import { confirm } from '../command/confirm.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { clusterDeleted, type Goal, machineReplaced, poolDeleted } from '../progress/goal.ts';
import { timeLeft, waitFor } from '../progress/wait-for.ts';
import type { KindName } from './kind-names.ts';
import { KINDS_BY_NAME, qualifiedName } from './kinds.ts';

interface DeleteOptions extends WaitOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** An object to delete, and the goal that is reached once it is deleted. */
interface Target {
  readonly name: string;
  readonly uid: string | undefined;
  readonly clusterName: string;
  readonly goal: Goal;
}

/** Deletes objects by the UID that the user confirmed, one at a time, and waits for all of them. */
export async function deleteObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: KindName,
  names: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const targets = await Promise.all(names.map((name) => findTarget(connection, kindName, name, context.signal)));
    if (options.dryRun) {
      for (const target of targets) await showDeletion(context, connection, kindName, target);
      return;
    }
    await confirm(context, { question: question(kindName, names), declinedMessage: 'nothing was deleted' }, options);
    for (const { name, uid } of targets) {
      await client
        .resource(kind)
        .delete(name, { namespace, ...(uid !== undefined && { uid }), signal: context.signal });
      context.stdout.write(`${qualifiedName(kind, name)} ${options.wait ? 'is being deleted' : 'deletion begun'}\n`);
    }
    if (!options.wait) return;
    const left = timeLeft(context, options.timeout);
    for (const { name, clusterName, goal } of targets) {
      await waitFor(context, connection, clusterName, goal, left());
      context.stdout.write(`${qualifiedName(kind, name)} ${kindName === 'machine' ? 'replaced' : 'deleted'}\n`);
    }
  });
}

/** Shows what the server would delete, including dependents. */
async function showDeletion(
  { stdout, signal }: CliContext,
  { client, namespace }: Connection,
  kindName: KindName,
  { name, uid, clusterName }: Target,
): Promise<void> {
  const kind = KINDS_BY_NAME[kindName];
  await client.resource(kind).delete(name, { namespace, ...(uid !== undefined && { uid }), dryRun: true, signal });
  stdout.write(`${qualifiedName(kind, name)} ${kindName === 'machine' ? 'replaced' : 'deleted'} (server dry run)\n`);
  if (kindName === 'machine') return;
  const pools = kindName === 'cluster' ? (await client.resource(nodePools).list({ namespace, signal })).items : [];
  const labelSelector = `${CLUSTER_LABEL}=${clusterName}`;
  const { items: nodes } = await client.resource(machines).list({ namespace, labelSelector, signal });
  const dependents = [
    ...pools
      .filter(({ spec }) => spec.clusterName === name)
      .map(({ metadata }) => qualifiedName(nodePools, metadata.name ?? '')),
    ...nodes
      .filter(({ spec }) => kindName === 'cluster' || spec.nodePoolName === name)
      .map(({ metadata }) => qualifiedName(machines, metadata.name ?? '')),
  ];
  for (const other of dependents) stdout.write(`  ${other} is deleted too\n`);
}

function question(kindName: KindName, names: readonly string[]): string {
  const what = `${kindName} ${names.map((name) => `"${name}"`).join(', ')}`;
  switch (kindName) {
    case 'cluster':
      return `Delete ${what} with all nodes and its network?`;
    case 'nodepool':
      return `Drain and delete all nodes of ${what}?`;
    case 'machine':
      return `Drain and replace ${what}?`;
  }
}

async function findTarget(
  { client, namespace }: Connection,
  kindName: KindName,
  name: string,
  signal: AbortSignal,
): Promise<Target> {
  const options = { namespace, signal };
  switch (kindName) {
    case 'cluster': {
      const { uid } = (await client.resource(clusters).get(name, options)).metadata;
      return { name, uid, clusterName: name, goal: clusterDeleted(name, uid) };
    }
    case 'nodepool': {
      const { metadata, spec } = await client.resource(nodePools).get(name, options);
      return { name, uid: metadata.uid, clusterName: spec.clusterName, goal: poolDeleted(name, metadata.uid) };
    }
    case 'machine': {
      const { metadata, spec } = await client.resource(machines).get(name, options);
      const goal = machineReplaced(name, metadata.uid, spec.nodePoolName);
      return { name, uid: metadata.uid, clusterName: spec.clusterName, goal };
    }
  }
}
