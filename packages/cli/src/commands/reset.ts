import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster reset`. */
export function addResetCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('reset')
    .description(
      'make a cluster an empty one again, of the same name and endpoint: everything in it and all its credentials go',
    )
    .argument('<cluster>', 'name of the cluster')
    .addOption(
      new Option('--nodes <policy>', 'whether nodes are deleted and made again, or their servers are reinstalled')
        .choices(['delete', 'reinstall'])
        .default('delete'),
    )
    .option(
      '--version <version>',
      'Kubernetes version to begin with, which may be lower than now; by default the one that runs',
    )
    .option('-y, --yes', 'do not ask for confirmation; implied without a terminal')
    .addOption(waitOption('it is ready again'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('30m'))
    .action(async (name, options) => {
      const { resetCluster } = await import('../resources/reset-cluster.ts');
      await resetCluster(context, program.opts(), name, options);
    });
}
