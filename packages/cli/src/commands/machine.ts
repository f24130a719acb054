import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { addDeleteCommand, addGetCommand, addListCommand } from './kind-commands.ts';

export function addMachineCommands(program: Command, context: CliContext): void {
  const words = { kind: 'machine', plural: 'machines', hasCluster: true } as const;
  const machine = program.command('machine').description('show machines, and replace them by deleting them');
  addListCommand(machine, context, program, words);
  addGetCommand(machine, context, program, words);
  addDeleteCommand(machine, context, program, {
    kind: 'machine',
    description: 'drain and delete machines, and wait until their pools have replaced them; to shrink a pool, scale it',
  });
}
