import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat, WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { alignColumns } from '../output/table.ts';
import { clusterRestored, snapshotTaken } from '../progress/snapshot-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

export async function listSnapshots(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  { output }: { readonly output?: OutputFormat },
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }) => {
    const { status } = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const snapshots = status?.etcd?.snapshots ?? [];
    if (snapshots.length === 0 && output === undefined) context.stderr.write(`No snapshots of cluster ${name}.\n`);
    else context.stdout.write(render(snapshots, output));
  });
}

type Snapshots = NonNullable<NonNullable<ClusterStatus['etcd']>['snapshots']>;

function render(snapshots: Snapshots, output: OutputFormat | undefined): string {
  if (output === 'json') return `${JSON.stringify(snapshots, undefined, 2)}\n`;
  if (output === 'yaml') return dump(snapshots);
  if (output === 'name') return snapshots.map(({ name }) => `${name}\n`).join('');
  const rows = snapshots.map(({ name, takenAt, sizeBytes }) => [name, takenAt, `${mebibytes(sizeBytes)} MiB`]);
  return alignColumns([['NAME', 'TAKEN', 'SIZE'], ...rows]);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

export async function takeSnapshot(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const snapshotRequestedAt = new Date(context.clock.now()).toISOString();
    const cluster = await patchEtcd(context, connection, name, { snapshotRequestedAt });
    context.stdout.write(`${qualifiedName(clusters, name)} snapshot requested\n`);
    if (!options.wait) return;
    const known = new Set(cluster.status?.etcd?.snapshots?.map((snapshot) => snapshot.name));
    await waitFor(context, connection, name, snapshotTaken(name, known), options.timeout);
  });
}

export async function restoreSnapshot(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & { readonly snapshot: string; readonly yes?: boolean },
): Promise<void> {
  const { snapshot } = options;
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const { spec, status } = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const names = status?.etcd?.snapshots?.map((known) => known.name) ?? [];
    if (!names.includes(snapshot)) {
      throw new CommandError(`cluster "${name}" has no snapshot "${snapshot}"`, {
        advice: `choose one of "fairway cluster snapshots ${name}"`,
      });
    }
    const question = `Restore all objects of cluster "${name}" to snapshot ${snapshot}?`;
    if (!options.yes && context.confirm && !(await context.confirm(question))) {
      throw new CommandError('nothing was restored');
    }
    const before = [status?.etcd?.lastRestore?.requestedAt, spec.etcd?.restore?.requestedAt];
    const requestedAt = requestTimeAfter(before, context.clock.now());
    const restore = { snapshot, requestedAt };
    await patchEtcd(context, connection, name, { restore });
    context.stdout.write(`${qualifiedName(clusters, name)} restore of ${snapshot} requested\n`);
    if (options.wait) await waitFor(context, connection, name, clusterRestored(name, restore), options.timeout);
  });
}

function patchEtcd(
  { signal }: CliContext,
  { client, namespace }: Connection,
  name: string,
  etcd: NonNullable<Cluster['spec']['etcd']>,
): Promise<Cluster> {
  const patch = { type: 'merge', value: { spec: { etcd } } } as const;
  return client.resource(clusters).patch(name, patch, { namespace, fieldManager: 'fairway', signal });
}
