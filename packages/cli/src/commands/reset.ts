import { type Command, Option } from 'commander';
import { yesOption } from '../command/confirm.ts';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster reset`. */
export function addResetCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('reset')
    .description(
      'reset a cluster to an empty one with the same name and endpoint: everything in it and all of its credentials are deleted',
    )
    .argument('<cluster>', 'name of the cluster')
    .addOption(
      new Option(
        '--nodes <policy>',
        'how to reset the nodes: delete them and create new ones, or reinstall their servers',
      )
        .choices(['delete', 'reinstall'])
        .default('delete'),
    )
    .option(
      '--version <version>',
      'Kubernetes version after the reset, which may be lower than the current one; default: the current version',
    )
    .addOption(yesOption())
    .addOption(dryRunOption())
    .addOption(waitOption('the cluster is ready again'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('30m'))
    .action(async (name, options) => {
      const { resetCluster } = await import('../resources/reset-cluster.ts');
      await resetCluster(context, program.opts(), name, options);
    });
}
