import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '@fairway/service/command-error';
import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { KEYS } from './keys.ts';
import { type Found, type Source, valuesOfEnvironment, valuesOfFile } from './sources.ts';

/** The file that is read: the option, else FAIRWAY_CONFIG; undefined if neither names one. */
export function configurationFile({ env, cwd }: Pick<CliContext, 'env' | 'cwd'>, option?: string): string | undefined {
  const named = option ?? env['FAIRWAY_CONFIG'];
  return named ? resolve(cwd, named) : undefined;
}

/** What the environment and the file say; the environment goes first. Throws a usage error if the file can't be read. */
export function writtenValues(context: Pick<CliContext, 'env' | 'cwd'>, file: string | undefined): Source {
  const environment = valuesOfEnvironment(context.env);
  if (file === undefined) return environment;
  const inFile = valuesOfFile(file, contentOf(file));
  return {
    found: new Map([...inFile.found, ...environment.found]),
    problems: [...inFile.problems, ...environment.problems],
  };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`cannot read ${file}: ${(error as Error).message}`, 'name another file with --config', error);
  }
}

/**
 * The options of a command: what its command line says, else the environment, else the file, else the defaults. Throws a usage error
 * that names all that is wrong.
 */
export function effectiveOptions<T extends { readonly config?: string }>(
  context: CliContext,
  command: Command,
  options: T,
): T {
  const file = configurationFile(context, options.config);
  const { found, problems } = writtenValues(context, file);
  if (problems.length > 0) {
    throw usageError(
      problems.join('\n'),
      'run "fairway config check", which reports the same and more without starting anything',
    );
  }
  const merged = structuredClone(options) as Record<string, unknown>;
  for (const { name, facts } of KEYS) {
    const value = found.get(name);
    const isOther = facts.only !== undefined && facts.only !== command.name();
    if (value === undefined || isOther || command.getOptionValueSourceWithGlobals(facts.option) === 'cli') continue;
    place(merged, facts.option.split('.'), value);
  }
  return merged as T;
}

function place(target: Record<string, unknown>, path: readonly string[], { value }: Found): void {
  const [name = '', ...below] = path;
  if (below.length === 0) {
    target[name] = value;
    return;
  }
  const inner = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = inner;
  place(inner, below, { value, text: value, origin: '' });
}
