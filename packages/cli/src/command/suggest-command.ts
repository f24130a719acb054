import { editDistance } from '@fairway/api/domain/suggest';
import type { Command } from 'commander';

/** Terms from other tools, with our equivalents. */
const SYNONYMS: Readonly<Record<string, string>> = {
  nodegroup: 'nodepool',
  node: 'machine',
  instance: 'machine',
  release: 'versions',
  apply: 'create',
  add: 'create',
  new: 'create',
  rm: 'delete',
  remove: 'delete',
  destroy: 'delete',
  terminate: 'delete',
  edit: 'update',
  patch: 'update',
  set: 'update',
  modify: 'update',
  resize: 'scale',
  info: 'describe',
  inspect: 'describe',
  status: 'describe',
  stop: 'hibernate',
  start: 'wake',
};

/** A command that the user may have meant. */
interface Match {
  readonly path: readonly string[];
  /** Indexes of the typed words that name the command. */
  readonly usedIndexes: readonly number[];
  /** Number of edits between the typed words and the names. */
  readonly cost: number;
}

const MAX_WORDS = 4;
const MAX_SUGGESTIONS = 3;

/**
 * Suggests commands for a wrong command line, best first: words in a different order (`get clusters`), terms from
 * other tools (`resize nodegroup`), plurals and typos. Pure.
 */
export function suggestCommands(program: Command, args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, end === -1 ? args.length : end).slice(0, MAX_WORDS);
  const matches = pathsOf(program).flatMap((path) => matchOf(path, words) ?? []);
  const longest = Math.max(...matches.map(({ path }) => path.length));
  const cheapest = Math.min(...matches.filter(({ path }) => path.length === longest).map(({ cost }) => cost));
  const best = matches.filter(({ path, cost }) => path.length === longest && cost === cheapest);
  const lines = best.map(({ path, usedIndexes }) => {
    // Leading words belong to other tools: `container clusters list`.
    const rest = args
      .slice(Math.min(...usedIndexes))
      .filter((_, index) => !usedIndexes.includes(index + Math.min(...usedIndexes)));
    const names = asListCommand(program, path, { words, usedIndexes, rest });
    return ['fairway', ...names, ...rest.map(shellQuoted)].join(' ');
  });
  const typed = ['fairway', ...args.map(shellQuoted)].join(' ');
  return [...new Set(lines)].filter((line) => line !== typed).slice(0, MAX_SUGGESTIONS);
}

/** Names from the root to each command, including groups. */
function pathsOf(command: Command, above: readonly string[] = []): readonly (readonly string[])[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => {
      const path = [...above, child.name()];
      return [path, ...pathsOf(child, path)];
    });
}

/**
 * Matches each name of the path with a different typed word, in any order. A verb alone matches every group that has
 * it.
 */
function matchOf(path: readonly string[], words: readonly string[]): Match | undefined {
  const usedIndexes: number[] = [];
  let cost = 0;
  const found: string[] = [];
  for (const name of path) {
    const costs = words.map((word, index) => (usedIndexes.includes(index) ? Infinity : costOf(word, name)));
    const minCost = Math.min(Infinity, ...costs);
    if (minCost === Infinity) continue;
    usedIndexes.push(costs.indexOf(minCost));
    cost += minCost;
    found.push(name);
  }
  const isVerbOnly = path.length === 2 && found.length === 1 && found[0] === path[1] && words.length > 0;
  if (found.length === path.length) return { path, usedIndexes, cost };
  // The group was not typed.
  return isVerbOnly ? { path, usedIndexes, cost: cost + GUESSED_GROUP_COST } : undefined;
}

/** Ranks a guessed group after a path whose names were all typed. */
const GUESSED_GROUP_COST = 10;

/** Infinity if the word can't stand for the name. */
function costOf(typed: string, name: string): number {
  const word = typed.toLowerCase().replaceAll('_', '-');
  const forms = [word, word.replaceAll('-', ''), word.replace(/s$/, ''), word.replaceAll('-', '').replace(/s$/, '')];
  if (forms.some((form) => form === name || SYNONYMS[form] === name)) return 0;
  const distance = Math.min(...forms.map((form) => editDistance(form, name)));
  return distance <= Math.floor(name.length / 3) ? distance : Infinity;
}

/**
 * Turns `get clusters` and `clusters` into `list`, and a list with names into `get`. A group in the singular shows its
 * verbs.
 */
function asListCommand(
  program: Command,
  path: readonly string[],
  {
    words,
    usedIndexes,
    rest,
  }: { readonly words: readonly string[]; readonly usedIndexes: readonly number[]; readonly rest: readonly string[] },
): readonly string[] {
  const [group = '', verb] = path;
  const hasList = program.commands
    .find((child) => child.name() === group)
    ?.commands.some((child) => child.name() === 'list');
  const isNameless = rest[0]?.startsWith('-') ?? true;
  const isPlural = usedIndexes.some((index) => words[index]?.endsWith('s'));
  if (hasList && !isNameless && verb === 'list') return [group, 'get'];
  if (!hasList || !isNameless) return path;
  if (verb === undefined) return isPlural ? [group, 'list'] : [group, '--help'];
  return verb === 'get' ? [group, 'list'] : path;
}

function shellQuoted(arg: string): string {
  return /^[\w./:=,@%+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}
