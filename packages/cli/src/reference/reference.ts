import { ExitCode } from '@fairway/service/exit-code';
import type { Command, Option } from 'commander';

/** What each code says. */
export const EXIT_CODES: Record<keyof typeof ExitCode, string> = {
  Ok: 'it is done',
  Failed: 'the server rejected it, the awaited state cannot be reached, or doctor found an error',
  Usage: 'the command line, a file or the configuration is wrong; no request was sent',
  Unreachable: "Fairway's API or the cloud did not answer",
  TimedOut: 'it did not finish within `--timeout`; Fairway continues in the background',
  Interrupted: 'stopped by a signal',
};

/** The command's reference as Markdown, generated from the commander tree. */
export function renderReference(program: Command): string {
  const lines = [
    '# The `fairway` command',
    '',
    'Generated from the command itself by `npm run generate:cli`; same as `fairway COMMAND --help`.',
    '',
    "Fairway's API is found by `--kubeconfig`, else by `KUBECONFIG`, else in `FAIRWAY_HOME` (`./.fairway`), else where kubectl",
    'looks. Results go to stdout; progress, hints and errors go to stderr.',
    '',
    '## Options of every command',
    '',
    ...optionTable(visibleOptions(program)),
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(ExitCode).map(([name, code]) => `| ${code} | ${EXIT_CODES[name as keyof typeof ExitCode]} |`),
    ...visibleCommands(program).flatMap((command) => renderCommand(command)),
  ];
  return `${lines.join('\n')}\n`;
}

function renderCommand(command: Command): string[] {
  const subcommands = visibleCommands(command);
  // A command with subcommands may do something itself: then it has options or arguments.
  const isUsable =
    subcommands.length === 0 || visibleOptions(command).length > 0 || command.registeredArguments.length > 0;
  const level = command.parent?.parent ? '###' : '##';
  return [
    '',
    `${level} ${pathOf(command)}`,
    '',
    sentence(command),
    ...(isUsable ? renderUsage(command) : []),
    ...subcommands.flatMap((child) => renderCommand(child)),
  ];
}

function renderUsage(command: Command): string[] {
  const options = visibleOptions(command);
  const rows = command.registeredArguments.map((argument) => {
    return `| \`${argument.name()}\` | ${cell(argument.description)}${usedChoices(argument.argChoices)} |`;
  });
  return [
    '',
    '```',
    `${pathOf(command)} ${command.usage()}`.trim(),
    '```',
    ...(rows.length > 0 ? ['', '| argument | meaning |', '|---|---|', ...rows] : []),
    ...(options.length > 0 ? ['', ...optionTable(options)] : []),
  ];
}

function optionTable(options: readonly Option[]): string[] {
  const rows = options.map((option) => {
    const { flags, description, argChoices, mandatory } = option;
    return `| \`${flags}\` | ${cell(description)}${usedChoices(argChoices)}${mandatory ? '; required' : ''}${defaultOf(option)} |`;
  });
  return ['| option | meaning |', '|---|---|', ...rows];
}

/** The values that can be chosen, in brackets. */
export function usedChoices(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : ` (${choices.join(', ')})`;
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (
    defaultValue === undefined ||
    // A switch says in words whether it is on.
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
