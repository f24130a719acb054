import type { Command } from 'commander';

/** The usage of the typed command, and where to find its help. Pure. */
export function usageLine(program: Command, args: readonly string[]): string {
  let command = program;
  let path = 'fairway';
  for (const arg of args) {
    const child = command.commands.find((each) => each.name() === arg || each.aliases().includes(arg));
    if (child === undefined) continue;
    command = child;
    path += ` ${child.name()}`;
  }
  return `usage: ${path} ${command.usage()}; see "${path} --help"`;
}
