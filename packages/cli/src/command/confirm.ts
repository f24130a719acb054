import { CommandError, usageError } from '@fairway/service/command-error';
import { Option } from 'commander';
import type { CliContext } from './context.ts';

/** `--yes` of what cannot be undone, or ends workloads. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'skip the confirmation; required without a terminal');
}

/** Asks before something is done, unless `--yes` was given. Throws a CommandError if the answer is no, or if there is nobody to ask. */
export async function confirm(
  { ask }: Pick<CliContext, 'ask'>,
  { question, refused }: { readonly question: string; readonly refused: string },
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw usageError(`${question} There is no terminal to ask on, so ${refused}`, 'pass --yes to confirm');
  }
  const answer = (await ask(`${question} [y/N] `, false)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new CommandError(refused);
}
