import { CommandError, usageError } from '@fairway/service/command-error';
import { Option } from 'commander';
import type { CliContext } from './context.ts';

/** `--yes`, for commands that can't be undone or that end workloads. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'skip the confirmation; required without a terminal');
}

/**
 * Prompts for confirmation unless `--yes` was given. Throws a CommandError if the user declines or there is no
 * terminal.
 */
export async function confirm(
  { ask }: Pick<CliContext, 'ask'>,
  { question, declinedMessage }: { readonly question: string; readonly declinedMessage: string },
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw usageError(`${question} There is no terminal to ask on, so ${declinedMessage}`, 'pass --yes to confirm');
  }
  const answer = (await ask(`${question} [y/N] `, false)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new CommandError(declinedMessage);
}
