import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { operationEnded } from '../progress/operation-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import type { KindName } from './kind-names.ts';
import { KINDS_BY_NAME } from './kinds.ts';
import { getObjects } from './show.ts';

interface WatchOptions {
  readonly watch?: boolean;
  readonly output?: OutputFormat;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Shows objects, or follows one object's operation until it is done. */
export async function getOrWatch(
  context: CliContext,
  globals: GlobalOptions,
  kind: KindName,
  names: readonly string[],
  { watch, timeout, output }: WatchOptions,
): Promise<void> {
  if (!watch) return getObjects(context, globals, kind, names, output === undefined ? {} : { output });
  const [name, second] = names;
  if (name === undefined || second !== undefined || output !== undefined) {
    throw new CommandError(`--watch takes one ${kind} and no output format`, {
      exitCode: ExitCode.Usage,
      advice: `pass one name and no --output: fairway ${kind} get ${name ?? 'NAME'} --watch`,
    });
  }
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const options = { namespace, signal: context.signal };
    const object = await client.resource(KINDS_BY_NAME[kind]).get(name, options);
    const clusterName = kind === 'cluster' ? name : (object as NodePool | Machine).spec.clusterName;
    const goal = operationEnded({ kind, name, uid: object.metadata.uid });
    await waitFor(context, connection, clusterName, goal, timeout);
  });
}
