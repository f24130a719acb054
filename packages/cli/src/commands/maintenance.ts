import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster maintain`. */
export function addMaintenanceCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('maintain')
    .description('let what waits for the maintenance window begin now')
    .argument('<cluster>', 'name of the cluster')
    .addOption(waitOption('it is done; what waits for the turn of a rollout is not waited for', { isDefault: false }))
    .addOption(noWaitOption({ isDefault: true }))
    .addOption(timeoutOption('1h'))
    .action(async (name, options) => {
      const { maintain } = await import('../resources/maintain-cluster.ts');
      await maintain(context, program.opts(), name, options);
    });
}
