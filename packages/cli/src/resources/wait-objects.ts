import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { CommandError, usageError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { timeLeft, waitFor } from '../progress/wait-for.ts';
import { parseWaitTarget, stateReached, type WaitTarget } from '../progress/wait-goal.ts';
import type { KindName } from './kind-names.ts';
import { KINDS_BY_NAME, qualifiedName } from './kinds.ts';

interface WaitForOptions {
  readonly for: string;
  /** Milliseconds, for all objects together. */
  readonly timeout: number;
}

/** Waits until each of the objects is in the requested state. */
export async function waitForObjects(
  context: CliContext,
  globals: GlobalOptions,
  kindName: KindName,
  names: readonly string[],
  options: WaitForOptions,
): Promise<void> {
  const target = parseWaitTarget(options.for);
  if (target === undefined) {
    throw usageError(
      `--for=${options.for} must be Ready, deleted, upgraded, condition=TYPE or condition=TYPE=STATUS`,
      `example: fairway ${kindName} wait ${names[0] ?? 'NAME'} --for=Ready`,
    );
  }
  const kind = KINDS_BY_NAME[kindName];
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const left = timeLeft(context, options.timeout);
    for (const name of names) {
      const object = await withDeadline(context, { subject: `${kindName} "${name}"`, leftMs: left() }, (signal) => {
        const get = client.resource(kind).get(name, { namespace, signal });
        return target.state === 'deleted' ? undefinedIfNotFound(get) : get;
      });
      if (object !== undefined) {
        const clusterName = kindName === 'cluster' ? name : (object as NodePool | Machine).spec.clusterName;
        const goal = stateReached({ kind: kindName, name, uid: object.metadata.uid }, target);
        await waitFor(context, connection, clusterName, goal, left());
      }
      context.stdout.write(`${qualifiedName(kind, name)} ${messageFor(target)}\n`);
    }
  });
}

/** Runs a request with a timeout that also applies to an API that does not respond. */
async function withDeadline<T>(
  { clock, signal }: CliContext,
  { subject, leftMs }: { readonly subject: string; readonly leftMs: number },
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(leftMs, () => late.abort());
  try {
    return await request(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    throw new CommandError(`${subject}: timed out waiting for Fairway's API`, {
      exitCode: ExitCode.TimedOut,
      advice: 'wait longer with --timeout',
      cause: error,
    });
  } finally {
    timer.cancel();
  }
}

/** Worded as in `kubectl wait`. */
function messageFor(target: WaitTarget): string {
  switch (target.state) {
    case 'ready':
      return 'is ready';
    case 'deleted':
      return 'is deleted';
    case 'upgraded':
      return 'is upgraded';
    case 'condition':
      return `has condition ${target.type}=${target.status}`;
  }
}
