import { editDistance } from '@fairway/api/domain/suggest';
import type { Command } from 'commander';

/** How peers call what Fairway has another word for. */
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

/** A command of the tree that what was typed may stand for. */
interface Match {
  readonly path: readonly string[];
  /** Indexes of the typed words that name it. */
  readonly used: readonly number[];
  /** Edits from the typed words to its names. */
  readonly cost: number;
}

const MAX_WORDS = 4;
const MAX_SUGGESTIONS = 3;

/**
 * Command lines that a wrong one may stand for, best first: words in another order (`get clusters`), of a peer (`resize nodegroup`), in the plural, or mistyped.
 * Pure.
 */
export function suggestCommands(program: Command, args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, end === -1 ? args.length : end).slice(0, MAX_WORDS);
  const matches = pathsOf(program).flatMap((path) => matchOf(path, words) ?? []);
  const longest = Math.max(...matches.map(({ path }) => path.length));
  const cheapest = Math.min(...matches.filter(({ path }) => path.length === longest).map(({ cost }) => cost));
  const best = matches.filter(({ path, cost }) => path.length === longest && cost === cheapest);
  const lines = best.map(({ path, used }) => {
    // What comes before is a peer's: `container clusters list`.
    const rest = args.slice(Math.min(...used)).filter((_, index) => !used.includes(index + Math.min(...used)));
    const names = asList(program, path, { words, used, rest });
    return ['fairway', ...names, ...rest.map(quoted)].join(' ');
  });
  const typed = ['fairway', ...args.map(quoted)].join(' ');
  return [...new Set(lines)].filter((line) => line !== typed).slice(0, MAX_SUGGESTIONS);
}

/** Names from the root to each command, groups too. */
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

/** Each name of the path by another typed word, whatever the order; a verb alone stands for each group that has it. */
function matchOf(path: readonly string[], words: readonly string[]): Match | undefined {
  const used: number[] = [];
  let cost = 0;
  const found: string[] = [];
  for (const name of path) {
    const costs = words.map((word, index) => (used.includes(index) ? Infinity : costOf(word, name)));
    const least = Math.min(Infinity, ...costs);
    if (least === Infinity) continue;
    used.push(costs.indexOf(least));
    cost += least;
    found.push(name);
  }
  const isVerbAlone = path.length === 2 && found.length === 1 && found[0] === path[1] && words.length > 0;
  if (found.length === path.length) return { path, used, cost };
  // Of a group that was not named.
  return isVerbAlone ? { path, used, cost: cost + GUESSED_GROUP } : undefined;
}

/** A path whose every name was typed comes before one that is filled up. */
const GUESSED_GROUP = 10;

/** Infinity if the word does not stand for the name. */
function costOf(typed: string, name: string): number {
  const word = typed.toLowerCase().replaceAll('_', '-');
  const forms = [word, word.replaceAll('-', ''), word.replace(/s$/, ''), word.replaceAll('-', '').replace(/s$/, '')];
  if (forms.some((form) => form === name || SYNONYMS[form] === name)) return 0;
  const distance = Math.min(...forms.map((form) => editDistance(form, name)));
  return distance <= Math.floor(name.length / 3) ? distance : Infinity;
}

/** `get clusters` and `clusters` list; a group that was named in the singular shows its verbs; a list of names is a `get`. */
function asList(
  program: Command,
  path: readonly string[],
  {
    words,
    used,
    rest,
  }: { readonly words: readonly string[]; readonly used: readonly number[]; readonly rest: readonly string[] },
): readonly string[] {
  const [group = '', verb] = path;
  const hasList = program.commands
    .find((child) => child.name() === group)
    ?.commands.some((child) => child.name() === 'list');
  const isNameless = rest[0]?.startsWith('-') ?? true;
  const isPlural = used.some((index) => words[index]?.endsWith('s'));
  if (hasList && !isNameless && verb === 'list') return [group, 'get'];
  if (!hasList || !isNameless) return path;
  if (verb === undefined) return isPlural ? [group, 'list'] : [group, '--help'];
  return verb === 'get' ? [group, 'list'] : path;
}

function quoted(arg: string): string {
  return /^[\w./:=,@%+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}
