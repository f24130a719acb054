import { buildProgram } from '@fairway/cli/program';
import { fakeContext } from '@fairway/cli/testing/fake-context';
import { type Command, CommanderError } from 'commander';
import type { Words } from './shell-words.ts';

/** An ellipsis, as in `fairway cluster create demo …`. */
const ELLIPSIS = /^(?:…|\.\.\.)$/;
/** Placeholder for a value with a specific format. */
const PLACEHOLDER = /^[A-Z][A-Z_-]+$/;
const INCOMPLETE = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
]);

/**
 * The command's own error for a line; undefined if it is valid. With `isMention`, the line is a name in running text,
 * possibly without arguments; any arguments must be valid. Nothing is executed.
 */
export function fairwayProblem([, ...words]: Words, isMention: boolean): string | undefined {
  const isPart = isMention || words.some((word) => ELLIPSIS.test(word));
  const context = fakeContext();
  const program = buildProgram(context);
  doNothing(program);
  try {
    program.parse(
      words.filter((word) => !ELLIPSIS.test(word)),
      { from: 'user' },
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || (isPart && INCOMPLETE.has(error.code))) return undefined;
    if (error.code === 'commander.invalidArgument' && words.some((word) => PLACEHOLDER.test(word))) return undefined;
    return `${error.code}: ${error.message}`;
  }
}

function doNothing(command: Command): void {
  command.action(() => {});
  for (const child of command.commands) doNothing(child);
}
