import { resolve } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { formatTime } from '@fairway/kube/clock';
import type { ResourceType } from '@fairway/kube/object/meta';
import { type Connection, withConnection } from '../../client/connect.ts';
import { CliError, usageError } from '../../command/cli-error.ts';
import type { CliContext, GlobalOptions } from '../../command/context.ts';
import { openReporter } from '../../progress/open-reporter.ts';
import type { Step as ProgressStep } from '../../progress/step.ts';
import type { Archive } from '../archive.ts';
import { kindName, objectName } from '../backed-up-kinds.ts';
import { openBackup } from '../backup-file.ts';
import type { Header } from '../header.ts';
import { readPassphrase } from '../passphrase.ts';
import { countsOf, readBackup } from '../run-backup.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';
import { readPhase, writePhase } from './restore-record.ts';
import { readTarget, requireTarget } from './restore-target.ts';
import { resumeObjects } from './resume-objects.ts';
import { writeObjects } from './write-objects.ts';

export interface RestoreOptions {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  readonly keepPaused?: boolean;
  readonly sourceStopped?: boolean;
  readonly passphraseFile?: string;
}

/** Makes everything of a backup at another Fairway's API, and gives it to the controllers when all is there. */
export async function runRestore(
  context: CliContext,
  globals: GlobalOptions,
  file: string,
  options: RestoreOptions,
): Promise<void> {
  const path = resolve(context.cwd, file);
  const backup = await readBackup(path);
  const archive = await openBackup(path, backup, await readPassphrase(context, options.passphraseFile));
  requireQuietSource(archive, options);
  await withConnection(context, globals, async (connection) => {
    const { client, server } = connection;
    await requireTarget(client, server, context.signal);
    if ((await readPhase(client, backup.header.id)) === 'Resuming') {
      context.stderr.write('everything has been made already; going on with resuming it\n');
    } else {
      const plan = await planFor(context, connection, archive, options);
      if (options.dryRun) return;
      await writeWithProgress(context, connection, plan);
    }
    if (options.dryRun) return;
    await resumeAll(context, connection, backup.header, archive, options);
  });
}

/** Two Fairways that act on the same servers would each undo what the other does. */
function requireQuietSource(
  { contents, objects }: Archive,
  { dryRun = false, sourceStopped = false }: RestoreOptions,
): void {
  const hasClusters = objects.some(({ kind }) => kind === clusters.kind);
  if (contents.paused || sourceStopped || dryRun || !hasClusters) return;
  throw usageError(
    `the clusters were not paused for the backup: the Fairway of ${contents.server} may still act on them`,
    'take another with "fairway backup --pause"; or say with --source-stopped that it runs no more, for good',
  );
}

async function planFor(
  { stdout, stderr, signal }: CliContext,
  { client, server }: Connection,
  { objects }: Archive,
  { dryRun = false, overwrite = false }: RestoreOptions,
): Promise<RestorePlan> {
  const plan = planRestore(objects, await readTarget(client, objects, signal), overwrite);
  if (dryRun) {
    for (const { action, type, source } of plan.steps) {
      if (action !== 'keep') stdout.write(`${WORDS[action]} ${objectName(type, source)}\n`);
    }
  }
  if (plan.conflicts.length > 0) {
    for (const conflict of plan.conflicts) stderr.write(`  ${conflict}\n`);
    const things = plan.conflicts.length === 1 ? 'object is' : 'objects are';
    throw new CliError(`${plan.conflicts.length} ${things} in the way at ${server}; nothing was changed`, {
      advice: 'delete or rename what is there, or let the backup count with --overwrite where it only differs',
    });
  }
  return plan;
}

const WORDS = {
  create: 'create',
  complete: 'complete',
  overwrite: 'overwrite',
  annotate: 'annotate',
  leaveOut: 'leave out',
} as const;

async function writeWithProgress(context: CliContext, { client }: Connection, plan: RestorePlan): Promise<void> {
  const reporter = await openReporter(context);
  const totals = new Map<ResourceType, { done: number; all: number }>();
  for (const { type } of plan.steps) {
    const total = totals.get(type) ?? { done: 0, all: 0 };
    total.all += 1;
    totals.set(type, total);
  }
  const show = () =>
    reporter.show(
      [...totals].map(([type, { done, all }]): ProgressStep => {
        const key = kindName(type);
        const state = done === all ? 'done' : done === 0 ? 'waiting' : 'running';
        return { key, title: key, state, detail: `${done}/${all}` };
      }),
    );
  let isSuccess = false;
  try {
    show();
    await writeObjects(client, plan.steps, {
      signal: context.signal,
      onDone: (type) => {
        const total = totals.get(type);
        if (total) total.done += 1;
        if (total?.done === total?.all) show();
      },
    });
    isSuccess = true;
  } finally {
    await reporter.end(isSuccess);
  }
}

async function resumeAll(
  { clock, signal, stdout, stderr }: CliContext,
  { client, server }: Connection,
  { id, createdAt }: Header,
  { contents, objects }: Archive,
  { keepPaused = false }: RestoreOptions,
): Promise<void> {
  const facts = { source: contents.server, createdAt };
  await writePhase(client, id, 'Resuming', facts);
  await resumeObjects(client, objects, { keepPaused, signal });
  await writePhase(client, id, 'Done', { ...facts, restoredAt: formatTime(clock.now()) });
  stdout.write(`restored from the backup of ${createdAt}: ${countsOf(objects)}\n`);
  if (keepPaused)
    stderr.write(`the clusters are paused at ${server}: "fairway cluster resume --all" when all is well\n`);
}
