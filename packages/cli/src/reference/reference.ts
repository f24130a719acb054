import { ExitCode } from '@fairway/service/exit-code';
import type { Argument, Command, Option } from 'commander';
import { KEYS } from '../configuration/keys.ts';

/** The meaning of each exit code. */
export const EXIT_CODES: Record<keyof typeof ExitCode, string> = {
  Ok: 'success',
  Failed: 'the server rejected the request, the awaited state cannot be reached, or doctor found an error',
  Usage: 'the command line, a file or the configuration is wrong; no request was sent',
  Unreachable: "Fairway's API or the cloud did not answer",
  TimedOut: 'timed out after `--timeout`; Fairway continues in the background',
  Interrupted: 'stopped by a signal',
};

/** An option that at least this many commands have is described once for all of them. */
const MIN_SHARED_COMMANDS = 3;

/** The command's reference as Markdown, generated from the commander tree. */
export function renderReference(program: Command): string {
  const shared = sharedOptions(program);
  const lines = [
    '# The `fairway` command',
    '',
    'Generated from the command itself by `npm run generate:cli`; `fairway COMMAND --help` and `fairway man` say the same.',
    '',
    'The kubeconfig is that of `--kubeconfig`, otherwise `KUBECONFIG`, `FAIRWAY_HOME` (`./.fairway`) or the one that kubectl',
    'uses. Results go to stdout; progress, hints and errors go to stderr.',
    '',
    '## Options of every command',
    '',
    ...visibleOptions(program).map((option) => optionItem(option)),
    '',
    '## Shared options',
    '',
    'The sections below name these, with the values and defaults of each command.',
    '',
    ...[...shared.values()].map(({ flags, description }) => `- \`${flags}\`: ${description}`),
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(ExitCode).map(([name, code]) => `| ${code} | ${EXIT_CODES[name as keyof typeof ExitCode]} |`),
    ...visibleCommands(program).flatMap((command) => renderCommand(command, shared)),
  ];
  return `${lines.join('\n')}\n`;
}

type SharedOptions = ReadonlyMap<string, Option>;

/** Identified by flags and description; choices and defaults differ by command. */
function sharedOptions(program: Command): SharedOptions {
  const counts = new Map<string, { readonly option: Option; count: number }>();
  for (const command of allCommands(program)) {
    for (const option of visibleOptions(command)) {
      const known = counts.get(keyOf(option));
      if (known === undefined) counts.set(keyOf(option), { option, count: 1 });
      else known.count += 1;
    }
  }
  const common = [...counts].filter(([, { count }]) => count >= MIN_SHARED_COMMANDS);
  return new Map(common.map(([key, { option }]) => [key, option]));
}

function keyOf({ flags, description }: Option): string {
  return `${flags} ${description}`;
}

function allCommands(command: Command): Command[] {
  return visibleCommands(command).flatMap((child) => [child, ...allCommands(child)]);
}

function renderCommand(command: Command, shared: SharedOptions): string[] {
  const level = command.parent?.parent ? '###' : '##';
  const options = visibleOptions(command);
  const settings = options.filter((option) => isSetting(command, option));
  const used = options.filter((option) => shared.has(keyOf(option)) && !settings.includes(option));
  const own = options.filter((option) => !settings.includes(option) && !used.includes(option));
  const items = [...command.registeredArguments.map(argumentItem), ...own.map(optionItem)];
  return [
    '',
    `${level} ${pathOf(command)}`,
    '',
    sentence(command),
    ...(items.length > 0 ? ['', ...items] : []),
    ...(used.length > 0 ? ['', `Shared options: ${used.map(sharedItem).join(', ')}.`] : []),
    ...(settings.length > 0 ? ['', settingsLine(settings)] : []),
    ...visibleCommands(command).flatMap((child) => renderCommand(child, shared)),
  ];
}

/** Settings of a running Fairway are described with the keys of fairway.yaml. */
function isSetting(command: Command, option: Option): boolean {
  return ['up', 'serve'].includes(command.name()) && KEYS.some(({ facts }) => facts.option === option.attributeName());
}

function settingsLine(settings: readonly Option[]): string {
  const flags = settings.map(({ flags }) => `\`${flags}\``).join(', ');
  return `Settings, described in [Configuration](operators/configuration.md): ${flags}.`;
}

function argumentItem(argument: Argument): string {
  return `- \`${argumentUsage(argument)}\`: ${argument.description}${usedChoices(argument.argChoices)}`;
}

/** As in a usage line: `<name>` is required, `[names...]` is optional or repeated. */
export function argumentUsage(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionItem(option: Option): string {
  const { flags, description, argChoices, mandatory } = option;
  return `- \`${flags}\`: ${description}${usedChoices(argChoices)}${mandatory ? '; required' : ''}${defaultOf(option)}`;
}

function sharedItem(option: Option): string {
  const { flags, argChoices, mandatory } = option;
  const facts = [...(argChoices ?? []), ...(mandatory ? ['required'] : [])].join(', ');
  const details = `${facts}${defaultOf(option)}`.replace(/^; /, '');
  return `\`${flags}\`${details === '' ? '' : ` (${details})`}`;
}

/** The allowed values, in brackets. */
export function usedChoices(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : ` (${choices.join(', ')})`;
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (
    defaultValue === undefined ||
    // The default of a switch is described in words.
    typeof defaultValue === 'boolean' ||
    negate ||
    (Array.isArray(defaultValue) && defaultValue.length === 0 && !defaultValueDescription)
  )
    return '';
  return `; default \`${defaultValueDescription ?? String(defaultValue)}\``;
}

export function visibleOptions(command: Command): Option[] {
  return command.options.filter(({ hidden }) => !hidden);
}

export function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

export function sentence(command: Command): string {
  const text = command.description();
  const aliases = command.aliases().map((name) => `\`${name}\``);
  const alias = aliases.length > 0 ? ` Also: ${aliases.join(', ')}.` : '';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.${alias}`;
}
