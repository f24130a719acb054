import { type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import { humanAge } from '@fairway/apiserver/kinds/printing/age';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import { withConnection } from '../client/connect.ts';
import { confirm } from '../command/confirm.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat, WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { alignColumns } from '../output/table.ts';
import { clusterRestored, snapshotTaken } from '../progress/snapshot-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { requestChange } from './request-change.ts';

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
    else context.stdout.write(render(snapshots, output, context.clock.now()));
  });
}

type Snapshots = NonNullable<NonNullable<ClusterStatus['etcd']>['snapshots']>;

function render(snapshots: Snapshots, output: OutputFormat | undefined, nowMs: number): string {
  if (output === 'json') return `${JSON.stringify(snapshots, undefined, 2)}\n`;
  if (output === 'yaml') return dump(snapshots);
  if (output === 'name') return snapshots.map(({ name }) => `${name}\n`).join('');
  const rows = snapshots.map(({ name, takenAt, sizeBytes }) => [
    name,
    humanAge(takenAt, nowMs),
    `${mebibytes(sizeBytes)} MiB`,
  ]);
  return alignColumns([['NAME', 'AGE', 'SIZE'], ...rows]);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

export async function takeSnapshot(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & { readonly dryRun?: boolean },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const before = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const value = { spec: { etcd: { snapshotRequestedAt: new Date(context.clock.now()).toISOString() } } };
    const request = { kind: clusters, before, value, words: 'snapshot requested', dryRun: options.dryRun };
    const cluster = await requestChange(context, connection, request);
    if (cluster === undefined || !options.wait) return;
    const known = new Set(cluster.status?.etcd?.snapshots?.map((snapshot) => snapshot.name));
    await waitFor(context, connection, name, snapshotTaken(name, known), options.timeout);
  });
}

export async function restoreSnapshot(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & { readonly snapshot: string; readonly yes?: boolean; readonly dryRun?: boolean },
): Promise<void> {
  const { snapshot } = options;
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const cluster = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const { spec, status } = cluster;
    const names = status?.etcd?.snapshots?.map((known) => known.name) ?? [];
    if (!names.includes(snapshot)) {
      throw new CommandError(`cluster "${name}" has no snapshot "${snapshot}"`, {
        advice: `list the snapshots: fairway cluster snapshots ${name}`,
      });
    }
    const question = `Restore all objects of cluster "${name}" from snapshot ${snapshot}?`;
    const { dryRun } = options;
    if (!dryRun) await confirm(context, { question, declinedMessage: 'nothing was restored' }, options);
    const before = [status?.etcd?.lastRestore?.requestedAt, spec.etcd?.restore?.requestedAt];
    const requestedAt = requestTimeAfter(before, context.clock.now());
    const restore = { snapshot, requestedAt };
    const value = { spec: { etcd: { restore } } };
    const request = { kind: clusters, before: cluster, value, words: `restore of ${snapshot} requested`, dryRun };
    const isRequested = await requestChange(context, connection, request);
    if (isRequested && options.wait)
      await waitFor(context, connection, name, clusterRestored(name, restore), options.timeout);
  });
}
