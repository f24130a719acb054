import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '@fairway/service/command-error';
import type { LogLevels } from '@fairway/service/log-levels';
import type { CliContext } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';
import { configurationFile } from './effective.ts';
import { KEYS } from './keys.ts';

interface ReloadOptions<T> {
  /** What this process was started with. */
  readonly started: T;
  /** Reads the same options from the current file. Throws a CommandError. */
  readonly reread: () => T;
  readonly levels: LogLevels;
}

/**
 * Reapplies the log levels from the file on SIGHUP, and reports other changed keys, which need a restart. Does nothing
 * without a file or on a terminal, where the signal means that the terminal was closed. Returns a function that stops
 * listening.
 */
export function reloadOnHangup<T extends FairwayCommandOptions>(
  context: CliContext,
  { started, reread, levels }: ReloadOptions<T>,
): () => void {
  const file = configurationFile(context, started.config);
  if (file === undefined || context.stderr.isTerminal) return () => {};
  return context.onHangup(() => {
    try {
      const now = reread();
      levels.set(now.logLevel, now.logLevels);
      const changed = changedKeys(started, now).filter((name) => !name.startsWith('log.'));
      const restartNote = changed.length === 0 ? '' : `; a restart is needed for ${changed.join(', ')}`;
      context.stderr.write(`reloaded ${file}: its log levels are in effect${restartNote}\n`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      context.stderr.write(`${file} was not applied: ${error.message}\n`);
    }
  });
}

function changedKeys(before: object, after: object): readonly string[] {
  const isChanged = (option: string) => !isDeepStrictEqual(valueAt(before, option), valueAt(after, option));
  return KEYS.filter(({ facts }) => isChanged(facts.option)).map(({ name }) => name);
}

function valueAt(options: object, option: string): unknown {
  return option
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], options);
}
