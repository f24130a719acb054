import { ExitCode } from '@fairway/service/exit-code';
import type { Command, Option } from 'commander';
import { EXIT_CODES, pathOf, sentence, usedChoices, visibleCommands, visibleOptions } from './reference.ts';

/** The command's manual page in roff (man(7)), from the same tree as docs/cli.md. */
export function renderManPage(program: Command, version: string): string {
  const lines = [
    `.TH FAIRWAY 1 "" "fairway ${version}" "Fairway"`,
    '.SH NAME',
    `fairway \\- ${escaped(lowerFirst(program.description()).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B fairway',
    '.I command',
    '[arguments] [options]',
    '.SH OPTIONS OF EVERY COMMAND',
    ...visibleOptions(program).flatMap(optionLines),
    '.SH COMMANDS',
    ...visibleCommands(program).flatMap(commandLines),
    '.SH EXIT STATUS',
    ...Object.entries(ExitCode).flatMap(([name, code]) => [
      '.TP',
      `.B ${code}`,
      escaped(EXIT_CODES[name as keyof typeof ExitCode].replaceAll('`', '')),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command): string[] {
  const operands = command.registeredArguments.map((argument) => [
    '.TP',
    `.I ${escaped(argument.name())}`,
    escaped(`${argument.description}${usedChoices(argument.argChoices)}`),
  ]);
  return [
    `.SS ${escaped(`${pathOf(command)} ${command.usage()}`.trim())}`,
    escaped(sentence(command).replaceAll('`', '')),
    ...operands.flat(),
    ...visibleOptions(command).flatMap(optionLines),
    ...visibleCommands(command).flatMap(commandLines),
  ];
}

function optionLines({ flags, description, argChoices }: Option): string[] {
  return ['.TP', `.B ${escaped(flags)}`, escaped(`${description}${usedChoices(argChoices)}`)];
}

/** Escapes everything that roff would read as a request, an escape or a typographic character. */
function escaped(text: string): string {
  const safe = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replaceAll('\n', ' ');
  return /^[.]/.test(safe) ? `\\&${safe}` : safe;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
