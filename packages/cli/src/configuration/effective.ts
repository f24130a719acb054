import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '@fairway/service/command-error';
import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { KEYS } from './keys.ts';
import { type FoundValue, type Source, valuesOfEnvironment, valuesOfFile } from './sources.ts';

/** The file to read: the option or FAIRWAY_CONFIG; undefined if neither is set. */
export function configurationFile({ env, cwd }: Pick<CliContext, 'env' | 'cwd'>, option?: string): string | undefined {
  const chosenFile = option ?? env['FAIRWAY_CONFIG'];
  return chosenFile ? resolve(cwd, chosenFile) : undefined;
}

/**
 * Values from the environment and the file; the environment takes precedence. Throws a usage error if the file can't be
 * read.
 */
export function configuredValues(context: Pick<CliContext, 'env' | 'cwd'>, file: string | undefined): Source {
  const environment = valuesOfEnvironment(context.env);
  if (file === undefined) return environment;
  const fileValues = valuesOfFile(file, contentOf(file));
  return {
    found: new Map([...fileValues.found, ...environment.found]),
    problems: [...fileValues.problems, ...environment.problems],
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
 * The options of a command: command line first, then environment, file and defaults. Throws a usage error that lists
 * all problems.
 */
export function effectiveOptions<T extends { readonly config?: string }>(
  context: CliContext,
  command: Command,
  options: T,
): T {
  const file = configurationFile(context, options.config);
  const { found, problems } = configuredValues(context, file);
  if (problems.length > 0) {
    throw usageError(
      problems.join('\n'),
      'run "fairway config check", which reports the same and more without starting anything',
    );
  }
  const merged = structuredClone(options) as Record<string, unknown>;
  for (const { name, facts } of KEYS) {
    const value = found.get(name);
    const isForOtherCommand = facts.onlyCommand !== undefined && facts.onlyCommand !== command.name();
    if (value === undefined || isForOtherCommand || command.getOptionValueSourceWithGlobals(facts.option) === 'cli')
      continue;
    setValue(merged, facts.option.split('.'), value);
  }
  return merged as T;
}

function setValue(target: Record<string, unknown>, path: readonly string[], { value }: FoundValue): void {
  const [name = '', ...remainingPath] = path;
  if (remainingPath.length === 0) {
    target[name] = value;
    return;
  }
  const nested = (target[name] ?? {}) as Record<string, unknown>;
  target[name] = nested;
  setValue(nested, remainingPath, { value, text: value, origin: '' });
}
