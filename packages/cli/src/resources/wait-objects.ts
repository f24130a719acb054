import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { CommandError, usageError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { waitFor } from '../progress/wait-for.ts';
import { type Awaited, inState, parseAwaited } from '../progress/wait-goal.ts';
import type { KindName } from './kind-names.ts';
import { KINDS_BY_NAME, qualifiedName } from './kinds.ts';

interface WaitForOptions {
  readonly for: string;
  /** Milliseconds, for all of them. */
  readonly timeout: number;
}

/** Waits until each of the objects is in a state. */
export async function waitForObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: KindName,
  names: readonly string[],
  options: WaitForOptions,
): Promise<void> {
  const awaited = parseAwaited(options.for);
  if (awaited === undefined) {
    throw usageError(
      `--for=${options.for} is none of Ready, deleted, upgraded, condition=TYPE and condition=TYPE=STATUS`,
      `such as: fairway ${kindName} wait ${names[0] ?? 'NAME'} --for=Ready`,
    );
  }
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const untilMs = context.clock.now() + options.timeout;
    for (const name of names) {
      const object = await inTime(context, { subject: `${kindName} "${name}"`, untilMs }, (signal) => {
        const get = client.resource(kind).get(name, { namespace, signal });
        return awaited.state === 'deleted' ? undefinedIfNotFound(get) : get;
      });
      if (object !== undefined) {
        const clusterName = kindName === 'cluster' ? name : (object as NodePool | Machine).spec.clusterName;
        const goal = inState({ kind: kindName, name, uid: object.metadata.uid }, awaited);
        await waitFor(context, connection, clusterName, goal, Math.max(untilMs - context.clock.now(), 1));
      }
      context.stdout.write(`${qualifiedName(kind, name)} ${wordsFor(awaited)}\n`);
    }
  });
}

/** An API that does not answer has no longer than the state has. */
async function inTime<T>(
  { clock, signal }: CliContext,
  { subject, untilMs }: { readonly subject: string; readonly untilMs: number },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(Math.max(untilMs - clock.now(), 1), () => late.abort());
  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    throw new CommandError(`${subject}: Fairway's API did not answer in time`, {
      exitCode: ExitCode.TimedOut,
      advice: 'wait longer with --timeout',
      cause: error,
    });
  } finally {
    timer.cancel();
  }
}

/** As `kubectl wait` says it. */
function wordsFor(awaited: Awaited): string {
  switch (awaited.state) {
    case 'ready':
      return 'is ready';
    case 'deleted':
      return 'is deleted';
    case 'upgraded':
      return 'is upgraded';
    case 'condition':
      return `has condition ${awaited.type}=${awaited.status}`;
  }
}
