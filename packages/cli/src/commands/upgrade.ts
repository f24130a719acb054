import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, outputOption, timeoutOption, waitOption } from '../command/options.ts';
import { UPGRADE_STRATEGIES, upgradeStrategy } from '../resources/upgrade-strategy.ts';

/** `fairway cluster upgrade`. */
export function addUpgradeCommand(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('upgrade')
    .description('upgrade a cluster to a newer Kubernetes version: the control plane first, then the nodes')
    .argument('<name>', 'name of the cluster')
    .option(
      '--to <version>',
      'Kubernetes version such as 1.36 or 1.36.3; default: the next minor version, or else the newest patch',
    )
    .addOption(
      new Option(
        '--strategy <strategy>',
        'which version to upgrade to if --to is not given: latest-patch (or LATEST_PATCH), the latest patch of the current minor version, or next-minor (or NEXT_MINOR), the next minor version',
      )
        .choices(UPGRADE_STRATEGIES)
        .argParser(upgradeStrategy)
        .conflicts('to'),
    )
    .option(
      '--plan',
      'only show the steps, the required resources and what would block the upgrade; exits with 1 if something would block it',
    )
    .addOption(dryRunOption().conflicts('plan'))
    .addOption(waitOption('the control plane and all nodes run the new version', { isDefault: false }))
    .addOption(noWaitOption({ isDefault: true }))
    .addOption(timeoutOption('4h', { isWaitDefault: false }))
    .addOption(outputOption(['json', 'yaml']).implies({ plan: true }))
    .addHelpText(
      'after',
      '\nExamples:\n  fairway cluster upgrade demo --plan\n  fairway cluster upgrade demo --to 1.36 --wait\n  fairway cluster upgrade demo --strategy latest-patch',
    )
    .action(async (name, options) => {
      if (options.plan) {
        const { planUpgrade } = await import('../resources/plan-upgrade.ts');
        return planUpgrade(context, program.opts(), name, options);
      }
      const { upgradeCluster } = await import('../resources/upgrade-cluster.ts');
      await upgradeCluster(context, program.opts(), name, options);
    });
}
