import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CliContext } from '../command/context.ts';
import { addCloudProviderCommand } from './cloud-provider.ts';

/** The value of `--controllers` for a command line, without running the command. */
function controllersOf(args: readonly string[]): readonly string[] {
  const program = new Command();
  // Unused before the command runs.
  addCloudProviderCommand(program, {} as CliContext);
  const [command] = program.commands;
  command?.parseOptions([...args]);
  return command?.opts<{ controllers: readonly string[] }>().controllers ?? [];
}

test.each([
  { args: [], are: ['*'] },
  { args: ['--controllers=cloud-node,route'], are: ['cloud-node', 'route'] },
  { args: ['--controllers=*,volume'], are: ['*', 'volume'] },
  { args: ['--controllers=*,-route'], are: ['*', '-route'] },
  { args: ['--controllers=cloud-node', '--controllers=route'], are: ['cloud-node', 'route'] },
])('parses $args as $are', ({ args, are }) => {
  expect(controllersOf(args)).toEqual(are);
});
