import type { Command, Option } from 'commander';
import type { CompletedKind } from './names-on-server.ts';

/** Names of objects on the server; empty if it is unreachable. */
export type NamesOf = (kind: CompletedKind) => Promise<readonly string[]>;

/** Completions of the last word after `fairway`. Empty if the shell should complete file names. */
export async function complete(
  program: Command,
  words: readonly string[],
  namesOf: NamesOf,
  clouds: () => readonly string[],
): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, argumentCount, pending } = walk(program, words.slice(0, -1));
  const candidates = await candidatesFor({ program, command, argumentCount, pending, typed, namesOf, clouds });
  return candidates.filter((candidate) => candidate.startsWith(typed));
}

interface Position {
  readonly command: Command;
  /** Positional arguments so far. */
  readonly argumentCount: number;
  /** An option without its value yet. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Position {
  let command = program;
  let argumentCount = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(program, command).find(({ short, long }) => word === short || word === long);
      pending = option?.required ? option : undefined;
      continue;
    }
    const next = argumentCount === 0 ? findSubcommand(command, word) : undefined;
    if (next === undefined) argumentCount++;
    else command = next;
  }
  return { command, argumentCount, pending };
}

function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((candidate) => candidate.name() === word || candidate.aliases().includes(word));
}

function optionsOf(program: Command, command: Command): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}

async function candidatesFor(
  at: Position & {
    readonly program: Command;
    readonly typed: string;
    readonly namesOf: NamesOf;
    readonly clouds: () => readonly string[];
  },
): Promise<readonly string[]> {
  const { program, command, argumentCount, pending, typed, namesOf, clouds } = at;
  if (pending?.long === '--cloud') return clouds();
  if (pending !== undefined) return valuesOf(pending, typed, namesOf);
  if (typed.startsWith('-')) {
    return optionsOf(program, command).flatMap(({ hidden, long, short }) => (hidden ? [] : [long ?? short ?? '']));
  }
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0) return subcommands.map((subcommand) => subcommand.name());
  const expected = command.registeredArguments;
  const argument = expected[argumentCount] ?? (expected.at(-1)?.variadic ? expected.at(-1) : undefined);
  if (argument === undefined) return [];
  if (argument.argChoices) return argument.argChoices;
  const kind = kindOfArgument(command);
  return kind === undefined ? [] : namesOf(kind);
}

/** What the values of options are names of; `--cloud` is an entry of clouds.yaml, which nobody needs a server for. */
const KIND_OF_OPTION: Readonly<Record<string, CompletedKind>> = {
  '--cluster': 'cluster',
  '--plan': 'plan',
  '--version': 'version',
  '--flavor': 'flavor',
  '--zones': 'zone',
  '--image': 'image',
  '--network': 'network',
  '--subnet': 'subnet',
  '--credential': 'cloudcredential',
};

async function valuesOf(option: Option, typed: string, namesOf: NamesOf): Promise<readonly string[]> {
  if (option.argChoices) return option.argChoices;
  const kind = KIND_OF_OPTION[option.long ?? ''];
  if (kind === undefined) return [];
  const names = await namesOf(kind);
  if (kind !== 'zone') return names;
  // A list of names, of which the last is being typed.
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return names.filter((name) => !before.split(',').includes(name)).map((name) => `${before}${name}`);
}

/** The kind of object that a command takes names of. */
function kindOfArgument(command: Command): CompletedKind | undefined {
  if (command.name() === 'kubeconfig') return 'cluster';
  if (command.name() === 'create') return undefined;
  const parent = command.parent?.name();
  if (parent === 'credential') return 'cloudcredential';
  if (parent === 'version') return 'kubernetesrelease';
  return parent === 'plan' || parent === 'cluster' || parent === 'nodepool' || parent === 'machine'
    ? parent
    : undefined;
}
