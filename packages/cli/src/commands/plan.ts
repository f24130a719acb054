import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { addGetCommand, addListCommand } from './kind-commands.ts';

export function addPlanCommands(program: Command, context: CliContext): void {
  const words = { kind: 'plan', plural: 'plans', isClusterScoped: true } as const;
  const plan = program
    .command('plan')
    .description('show the plans that clusters can choose, with their limits and service levels');
  addListCommand(plan, context, program, words);
  addGetCommand(plan, context, program, words);
}
