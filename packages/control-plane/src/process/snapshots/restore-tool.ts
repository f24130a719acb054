import { dirname } from 'node:path';
import { z } from 'zod';
import { findExecutable } from '../executables.ts';
import { ETCD_PEER_SOCKET } from '../folder-layout.ts';

/** Runs a command to completion and resolves with its output; rejects with its error message. */
export type RunCommand = (command: string, args: readonly string[]) => Promise<string>;

/** A program that creates etcd data from a snapshot. */
export interface RestoreTool {
  readonly path: string;
  /** Whether the tool can bump revisions, so that watchers notice that everything has changed. */
  readonly canBumpRevision: boolean;
}

/** The tool is missing, or none match etcd's version: the operator must install one. */
export class RestoreToolError extends Error {
  override readonly name = 'RestoreToolError';
}

/**
 * The tool for an etcd: etcdutl of its minor version, or etcdctl before 3.6, when etcdctl itself restored snapshots. A
 * tool in the same directory as etcd is preferred. Throws RestoreToolError.
 */
export async function findRestoreTool(etcd: string, folders: readonly string[], run: RunCommand): Promise<RestoreTool> {
  const requiredMinor = minorIn(await run(etcd, ['--version']));
  const found: string[] = [];
  for (const folder of [dirname(etcd), ...folders]) {
    for (const name of ['etcdutl', 'etcdctl']) {
      const path = findExecutable([folder], name);
      if (path === undefined) continue;
      const version = minorIn(await run(path, ['version']));
      found.push(`${path} (${version})`);
      if (version !== requiredMinor) continue;
      const help = await run(path, ['snapshot', 'restore', '--help']).catch(() => '');
      if (help.includes('--data-dir')) return { path, canBumpRevision: help.includes('--bump-revision') };
    }
  }
  const others = found.length === 0 ? '' : `; found with other versions: ${[...new Set(found)].join(', ')}`;
  throw new RestoreToolError(
    `restoring requires etcdutl ${requiredMinor} (etcdctl before 3.6) from etcd's release archive: place it beside ${etcd} or on PATH${others}`,
  );
}

function minorIn(output: string): string {
  return /version:\s*v?(\d+\.\d+)\./i.exec(output)?.[1] ?? 'of unknown version';
}

const snapshotStatus = z.object({ revision: z.int().min(0) });

/** The latest revision in a snapshot. */
export async function revisionOf(tool: RestoreTool, file: string, run: RunCommand): Promise<number> {
  const output = await run(tool.path, ['snapshot', 'status', file, '--write-out=json']);
  return snapshotStatus.parse(JSON.parse(output)).revision;
}

/** How far revisions may have advanced since the last known one: what etcd's documentation assumes for a week. */
const REVISION_MARGIN = 1_000_000_000;

/**
 * By how much to raise a snapshot's revision so that it exceeds any revision that clients have seen. `known` is the
 * last known revision of the data being replaced. Pure.
 */
export function revisionBump(snapshot: number, known: number): number {
  return Math.max(known - snapshot, 0) + REVISION_MARGIN;
}

/** Arguments that create the data directory of a cluster's etcd, which has a single member. Pure. */
export function restoreArguments(file: string, dataFolder: string, bump: number | undefined): string[] {
  const peer = `unix://${ETCD_PEER_SOCKET}`;
  return [
    'snapshot',
    'restore',
    file,
    `--data-dir=${dataFolder}`,
    '--name=etcd',
    `--initial-cluster=etcd=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    ...(bump === undefined ? [] : [`--bump-revision=${bump}`, '--mark-compacted']),
  ];
}
