import type { Command } from 'commander';
import { yesOption } from '../command/confirm.ts';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster hibernate` and `wake`. */
export function addHibernationCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('hibernate')
    .description('delete the nodes of a cluster and stop its control plane until it is woken up')
    .argument('<cluster>', 'name of the cluster')
    .addOption(yesOption())
    .addOption(dryRunOption())
    .addOption(waitOption('the cluster hibernates'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { hibernate } = await import('../resources/hibernate-cluster.ts');
      await hibernate(context, program.opts(), name, options);
    });
  cluster
    .command('wake')
    .description('wake up a hibernated cluster and wait until its nodes are Ready')
    .argument('<cluster>', 'name of the cluster')
    .addOption(dryRunOption())
    .addOption(waitOption('its nodes are Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { wake } = await import('../resources/hibernate-cluster.ts');
      await wake(context, program.opts(), name, options);
    });
}
