import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster maintain`. */
export function addMaintenanceCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('maintain')
    .description('start the work that is waiting for the maintenance window now')
    .argument('<cluster>', 'name of the cluster')
    .addOption(dryRunOption())
    .addOption(
      waitOption('the work is done, without waiting for rollouts that have not reached the cluster', {
        isDefault: false,
      }),
    )
    .addOption(noWaitOption({ isDefault: true }))
    .addOption(timeoutOption('1h', { isWaitDefault: false }))
    .action(async (name, options) => {
      const { maintain } = await import('../resources/maintain-cluster.ts');
      await maintain(context, program.opts(), name, options);
    });
}
