import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatTime } from '@fairway/base/clock';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Archive } from '@fairway/service/backup/archive';
import { BACKED_UP_KINDS, backedUpKind } from '@fairway/service/backup/backed-up-kinds';
import { encodeBackup, openBackup, type ParsedBackup, parseBackup } from '@fairway/service/backup/backup-file';
import { writeNewFile } from '@fairway/service/backup/new-file';
import { pauseSource } from '@fairway/service/backup/pause-source';
import { backupName, pruneBackups, storeBackup } from '@fairway/service/backup/stored-backups';
import { takeArchive } from '@fairway/service/backup/take-archive';
import { usageError } from '@fairway/service/command-error';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { openOffHost } from './open-off-host.ts';
import { readPassphrase, requireNewPassphrase } from './passphrase.ts';

export interface BackupOptions {
  readonly output?: string;
  readonly pause?: boolean;
  readonly passphraseFile?: string;
  readonly insecurePlainText?: boolean;
  /** Settings of the object store to use instead of a file. */
  readonly offHost?: string;
  /** Number of backups that the store keeps. */
  readonly keep: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Writes everything that Fairway's API stores to a new file, and verifies the file. */
export async function runBackup(context: CliContext, globals: GlobalOptions, options: BackupOptions): Promise<void> {
  const { clock, signal, stdout, stderr } = context;
  const offHost = options.offHost === undefined ? undefined : openOffHost(resolve(context.cwd, options.offHost), clock);
  await using _ = { [Symbol.asyncDispose]: async () => offHost?.store.close() };
  if (offHost && (options.output !== undefined || options.insecurePlainText)) {
    throw usageError('--off-host cannot be combined with --output or --insecure-plain-text');
  }
  const givenPassphrase = (await readPassphrase(context, options.passphraseFile)) ?? offHost?.passphrase;
  if (options.insecurePlainText && givenPassphrase !== undefined) {
    throw usageError('--insecure-plain-text and a passphrase are mutually exclusive');
  }
  const passphrase = options.insecurePlainText ? undefined : requireNewPassphrase(givenPassphrase);
  const createdAtMs = clock.now();
  const archive = await withConnection(context, globals, async ({ client, server }): Promise<Archive> => {
    if (options.pause) {
      stderr.write('pausing all clusters\n');
      await pauseSource(client, { clock, signal, timeoutMs: options.timeout });
    }
    stderr.write(`reading ${server}\n`);
    return takeArchive(client, server, signal);
  });
  if (offHost && passphrase !== undefined) {
    const stored = await storeBackup(offHost, archive, { createdAtMs, passphrase });
    stdout.write(`${describe(stored.name, stored.backup, stored.archive)}\n`);
    stdout.write(`  in ${offHost.store.description}\n`);
    const pruned = await pruneBackups(offHost, options.keep, stored);
    if (pruned.length > 0) stderr.write(`deleted there: ${pruned.join(', ')}\n`);
  } else {
    const path = resolve(context.cwd, options.output ?? backupName(createdAtMs));
    const origin = { id: randomUUID(), createdAt: formatTime(createdAtMs), fairway: FAIRWAY_VERSION };
    await writeNewFile(path, await encodeBackup(archive, origin, passphrase), origin.id);
    const backup = await readBackup(path);
    stdout.write(`${describe(path, backup, await openBackup(path, backup, passphrase))}\n`);
  }
  if (options.pause) {
    stderr.write('the clusters stay paused here, so that two Fairways never act on the same cloud;\n');
    stderr.write('to continue here instead, run: fairway cluster resume --all\n');
  }
}

export interface VerifyOptions {
  readonly passphraseFile?: string;
}

/**
 * Verifies that a backup is complete and readable, and describes it; without a passphrase, verifies only its checksum.
 */
export async function runVerify(context: CliContext, file: string, options: VerifyOptions): Promise<void> {
  const backup = await readBackup(resolve(context.cwd, file));
  const passphrase = await readPassphrase(context, options.passphraseFile);
  if (backup.header.encryption !== null && passphrase === undefined) {
    context.stdout.write(`${describe(file, backup, undefined)}\n`);
    context.stderr.write('the file is complete; its contents were not checked because no passphrase was given\n');
    return;
  }
  context.stdout.write(`${describe(file, backup, await openBackup(file, backup, passphrase))}\n`);
}

/** Rejects with a CommandError that describes what is wrong with the file. */
export async function readBackup(path: string): Promise<ParsedBackup> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw usageError(
      `${path} cannot be read: ${(error as Error).message}`,
      'name a file written by "fairway backup"',
      error,
    );
  }
  return parseBackup(path, bytes);
}

function describe(path: string, { header }: ParsedBackup, archive: Archive | undefined): string {
  const { createdAt, fairway, encryption, id } = header;
  const sealed =
    encryption === null
      ? 'NOT encrypted: anyone who can read it controls all clusters'
      : `encrypted with ${encryption.cipher}, with a key derived from the passphrase by ${encryption.kdf.name}`;
  const lines = [`${path}: backup ${id} of ${createdAt}, by Fairway ${fairway}`, `  ${sealed}`];
  if (archive) {
    const { server, paused } = archive.contents;
    lines.push(`  of ${server}, ${paused ? 'all clusters paused' : 'NOT paused'}`);
    lines.push(`  ${countsOf(archive.objects)}`);
  }
  return lines.join('\n');
}

/** `2 clusters, 4 nodepools, …` in the order of the kinds. */
export function countsOf(objects: readonly KubeObject[]): string {
  const groups = Map.groupBy(objects, backedUpKind);
  const counts = BACKED_UP_KINDS.flatMap((type) => {
    const count = groups.get(type)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? type.kind : type.plural}`];
  });
  return counts.join(', ') || 'nothing';
}
