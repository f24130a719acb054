import type { Command, Option } from 'commander';

/** What has been typed after `fairway`, up to the word that is being completed. */
export interface TypedLine {
  readonly command: Command;
  /** Positional arguments so far. */
  readonly args: readonly string[];
  /** Options with their values so far, by long name. */
  readonly values: Readonly<Record<string, string>>;
  /** An option whose value has not been typed yet. */
  readonly pending: Option | undefined;
}

/** Reads the words before the last one. */
export function readLine(program: Command, words: readonly string[]): TypedLine {
  let command = program;
  let pending: Option | undefined;
  const args: string[] = [];
  const values: Record<string, string> = {};
  for (const word of words.flatMap(splitAtEquals)) {
    if (pending !== undefined) {
      values[pending.long ?? ''] = word;
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(program, command).find(({ short, long }) => word === short || word === long);
      pending = option?.required ? option : undefined;
      continue;
    }
    const next = args.length === 0 ? findSubcommand(command, word) : undefined;
    if (next === undefined) args.push(word);
    else command = next;
  }
  return { command, args, values, pending };
}

/** `--cluster=demo` is two words; three if the shell breaks words at `=`. */
function splitAtEquals(word: string): readonly string[] {
  if (word === '=') return [];
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((candidate) => candidate.name() === word || candidate.aliases().includes(word));
}

/** The options of a command and the global ones. */
export function optionsOf(program: Command, command: Command): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}
