import { resolve } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import type { ResourceType } from '@fairway/kube/object/meta';
import type { Archive } from '@fairway/service/backup/archive';
import { objectName } from '@fairway/service/backup/backed-up-kinds';
import { openBackup, parseBackup } from '@fairway/service/backup/backup-file';
import type { Header } from '@fairway/service/backup/header';
import { restoreArchive } from '@fairway/service/backup/restore/restore-archive';
import { planRestore, type RestorePlan } from '@fairway/service/backup/restore/restore-plan';
import { readTarget, requireTarget } from '@fairway/service/backup/restore/restore-target';
import { fetchBackup, offHostName } from '@fairway/service/backup/stored-backups';
import { CommandError, usageError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../../client/connect.ts';
import type { CliContext, GlobalOptions } from '../../command/context.ts';
import { openReporter } from '../../progress/open-reporter.ts';
import type { EndState } from '../../progress/reporter.ts';
import { openOffHost } from '../open-off-host.ts';
import { readPassphrase } from '../passphrase.ts';
import { countsOf, readBackup } from '../run-backup.ts';
import { RestoreProgress } from './restore-progress.ts';

export interface RestoreOptions {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  readonly keepPaused?: boolean;
  readonly sourceStopped?: boolean;
  readonly passphraseFile?: string;
  /** Settings of the object store that `off-host:` arguments refer to. */
  readonly offHost?: string;
}

/** Creates everything in a backup through another Fairway's API, and resumes reconciliation once everything exists. */
export async function runRestore(
  context: CliContext,
  globals: GlobalOptions,
  file: string,
  options: RestoreOptions,
): Promise<void> {
  const { path, backup, passphrase } = await readArgument(context, file, options);
  const archive = await openBackup(path, backup, passphrase);
  requirePausedSource(archive, options);
  await withConnection(context, globals, async (connection) => {
    await requireTarget(connection.client, connection.server, context.signal);
    if (options.dryRun) await printDryRun(context, connection, archive, options);
    else await restore(context, connection, backup.header, archive, options);
  });
}

/** Reads a file, or a backup from the object store. */
async function readArgument(context: CliContext, file: string, options: RestoreOptions) {
  const givenPassphrase = await readPassphrase(context, options.passphraseFile);
  const name = offHostName(file);
  if (name === undefined) {
    const path = resolve(context.cwd, file);
    return { path, backup: await readBackup(path), passphrase: givenPassphrase };
  }
  if (options.offHost === undefined) {
    throw usageError(`${file} is in an object store: name the file with its settings with --off-host FILE`);
  }
  const offHost = openOffHost(resolve(context.cwd, options.offHost), context.clock);
  await using _ = { [Symbol.asyncDispose]: () => offHost.store.close() };
  const { name: path, bytes } = await fetchBackup(offHost, name);
  context.stderr.write(`read ${path} from ${offHost.store.description}\n`);
  return { path, backup: parseBackup(path, bytes), passphrase: givenPassphrase ?? offHost.passphrase };
}

/**
 * Refuses a backup whose source may still be running: two Fairway installations that manage the same servers would undo
 * each other's changes.
 */
function requirePausedSource(
  { contents, objects }: Archive,
  { dryRun = false, sourceStopped = false }: RestoreOptions,
): void {
  const hasClusters = objects.some(({ kind }) => kind === clusters.kind);
  if (contents.paused || sourceStopped || dryRun || !hasClusters) return;
  throw usageError(
    `the clusters were not paused for the backup: Fairway at ${contents.server} may still reconcile them`,
    'take another backup with "fairway backup --pause", or confirm with --source-stopped that it is permanently stopped',
  );
}

async function printDryRun(
  context: CliContext,
  { client, server }: Connection,
  { objects }: Archive,
  { overwrite = false }: RestoreOptions,
): Promise<void> {
  const plan = planRestore(objects, await readTarget(client, objects, context.signal), overwrite);
  for (const { action, type, source } of plan.steps) {
    if (action !== 'keep') context.stdout.write(`${ACTION_VERBS[action]} ${objectName(type, source)}\n`);
  }
  refuseConflicts(context, server, plan);
  const kept = plan.steps.filter(({ action }) => action === 'keep').length;
  const changes = plan.steps.length - kept;
  context.stderr.write(`${changes} of ${plan.steps.length} objects would be written; ${kept} exist already\n`);
}

const ACTION_VERBS = {
  create: 'create',
  complete: 'complete',
  overwrite: 'overwrite',
  annotate: 'annotate',
  leaveOut: 'leave out',
} as const;

function refuseConflicts({ stderr }: CliContext, server: string, { conflicts }: RestorePlan): void {
  if (conflicts.length === 0) return;
  for (const conflict of conflicts) stderr.write(`  ${conflict}\n`);
  const subject = conflicts.length === 1 ? 'object is' : 'objects are';
  throw new CommandError(`${conflicts.length} ${subject} conflict with the backup at ${server}; nothing was changed`, {
    advice: 'delete or rename the existing objects, or overwrite those that only differ with --overwrite',
  });
}

async function restore(
  context: CliContext,
  { client, server }: Connection,
  header: Header,
  archive: Archive,
  { overwrite = false, keepPaused = false }: RestoreOptions,
): Promise<void> {
  const { clock, signal, stdout, stderr } = context;
  const reporter = await openReporter(context);
  let progress: RestoreProgress | undefined;
  let endState: EndState = 'failed';
  try {
    await restoreArchive(client, {
      backup: header,
      archive,
      overwrite,
      keepPaused,
      clock,
      signal,
      onPlan: (plan) => {
        refuseConflicts(context, server, plan);
        progress = new RestoreProgress(reporter, plan);
      },
      onDone: (type: ResourceType) => progress?.done(type),
    });
    endState = 'reached';
  } finally {
    progress?.end(endState);
  }
  stdout.write(`restored from the backup of ${header.createdAt}: ${countsOf(archive.objects)}\n`);
  if (keepPaused)
    stderr.write(`the clusters are paused at ${server}; when everything works, run "fairway cluster resume --all"\n`);
}
