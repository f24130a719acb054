import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption, timeoutOption } from '../command/options.ts';

/** What is done with a cluster's database, below `fairway cluster`. */
export function addSnapshotCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('snapshots')
    .description("list the snapshots of a cluster's database, the newest first")
    .argument('<cluster>', 'name of the cluster')
    .addOption(outputOption(['json', 'yaml', 'name']))
    .action(async (name, options) => {
      const { listSnapshots } = await import('../resources/snapshots.ts');
      await listSnapshots(context, program.opts(), name, options);
    });
  cluster
    .command('snapshot')
    .description("take a snapshot of a cluster's database now, beside those of its plan")
    .argument('<cluster>', 'name of the cluster')
    .option('--no-wait', 'return when it is asked for')
    .addOption(timeoutOption('5m'))
    .action(async (name, options) => {
      const { takeSnapshot } = await import('../resources/snapshots.ts');
      await takeSnapshot(context, program.opts(), name, options);
    });
  cluster
    .command('restore')
    .description('set the whole database of a cluster back to a snapshot; what it holds now becomes a snapshot first')
    .argument('<cluster>', 'name of the cluster')
    .argument('<snapshot>', 'name of the snapshot, as "fairway cluster snapshots" lists it')
    .option('-y, --yes', 'do not ask; without a terminal nothing is asked either')
    .option('--no-wait', 'return when it is asked for')
    .addOption(timeoutOption('10m'))
    .action(async (name, snapshot, options) => {
      const { restoreSnapshot } = await import('../resources/snapshots.ts');
      await restoreSnapshot(context, program.opts(), name, { snapshot, ...options });
    });
}
