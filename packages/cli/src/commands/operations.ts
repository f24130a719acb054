import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

/** `fairway operations`. */
export function addOperationsCommand(program: Command, context: CliContext): void {
  program
    .command('operations')
    .description('list the current or last operations of clusters and node pools')
    .option('-A, --all-namespaces', 'include all namespaces that you can read')
    .option('--cluster <name>', 'show only objects of this cluster')
    .option('--running', 'show only operations in progress')
    .addOption(outputOption())
    .action(async (options) => {
      const { listOperations } = await import('../resources/operations.ts');
      await listOperations(context, program.opts(), options);
    });
}
