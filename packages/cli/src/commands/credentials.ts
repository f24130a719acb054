import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, timeoutOption, waitOption } from '../command/options.ts';

/** `fairway cluster revoke-credentials` and `rotate-credentials`. */
export function addCredentialCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('revoke-credentials')
    .description('revoke all kubeconfigs issued for a cluster so far; nodes and service accounts are not affected')
    .argument('<cluster>', 'name of the cluster')
    .addOption(dryRunOption())
    .addOption(waitOption('the kubeconfigs are revoked'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('5m'))
    .action(async (name, options) => {
      const { revokeCredentials } = await import('../resources/cluster-credentials.ts');
      await revokeCredentials(context, program.opts(), name, options);
    });
  cluster
    .command('rotate-credentials')
    .description('rotate all certificate authorities and keys of a cluster, in two phases')
    .argument('<cluster>', 'name of the cluster')
    .addOption(
      new Option(
        '--phase <phase>',
        'prepare: create new authorities and keys and replace all nodes, so that everything trusts both the old and the new ones; complete: remove the old ones and everything that they have signed',
      )
        .choices(['prepare', 'complete'])
        .default('prepare'),
    )
    .addOption(dryRunOption())
    .addOption(waitOption('the phase is complete', { isDefault: false }))
    .addOption(noWaitOption({ isDefault: true }))
    .addOption(timeoutOption('2h', { isWaitDefault: false }))
    .action(async (name, options) => {
      const { rotateCredentials } = await import('../resources/cluster-credentials.ts');
      await rotateCredentials(context, program.opts(), name, options);
    });
}
