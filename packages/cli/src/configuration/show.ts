import { usageError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import type { CliContext } from '../command/context.ts';
import { alignColumns } from '../output/table.ts';
import { configurationFile, configuredValues } from './effective.ts';
import { KEYS, type Key } from './keys.ts';
import type { FoundValue } from './sources.ts';

interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  /** A file, a variable, `default`, or `unset`. */
  readonly source: string;
}

/** Prints the values of all keys. Throws a usage error if the file or the environment is invalid. */
export function showConfiguration(
  context: CliContext,
  named: string | undefined,
  { output }: { readonly output?: 'json' | 'yaml' },
): void {
  const { found, problems } = configuredValues(context, configurationFile(context, named));
  if (problems.length > 0) throw usageError(problems.join('\n'));
  const shown = KEYS.map((key) => settingRowOf(key, found.get(key.name)));
  if (output === 'json') context.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
  else if (output === 'yaml') context.stdout.write(dump(shown));
  else {
    const rows = shown.map(({ key, value, source }) => [key, textOf(value), source]);
    context.stdout.write(alignColumns([['KEY', 'VALUE', 'SOURCE'], ...rows]));
  }
}

function settingRowOf({ name, facts }: Key, found: FoundValue | undefined): SettingRow {
  if (found === undefined) {
    return facts.default === undefined
      ? { key: name, value: null, source: 'unset' }
      : { key: name, value: facts.default, source: 'default' };
  }
  return { key: name, value: facts.isSecret ? '(hidden)' : found.text, source: found.origin };
}

function textOf(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
