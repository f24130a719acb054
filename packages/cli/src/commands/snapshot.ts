import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { noWaitOption, outputOption, timeoutOption, waitOption } from '../command/options.ts';

/** Snapshot and restore commands, below `fairway cluster`. */
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
    .description("take a snapshot of a cluster's database now, in addition to the plan's schedule")
    .argument('<cluster>', 'name of the cluster')
    .addOption(waitOption('it is taken'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('5m'))
    .action(async (name, options) => {
      const { takeSnapshot } = await import('../resources/snapshots.ts');
      await takeSnapshot(context, program.opts(), name, options);
    });
  cluster
    .command('restore')
    .description('restore the whole database of a cluster to a snapshot; the current data is saved as a snapshot first')
    .argument('<cluster>', 'name of the cluster')
    .argument('<snapshot>', 'name of the snapshot, from "fairway cluster snapshots"')
    .option('-y, --yes', 'do not ask for confirmation; implied without a terminal')
    .addOption(waitOption('it is restored'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('10m'))
    .action(async (name, snapshot, options) => {
      const { restoreSnapshot } = await import('../resources/snapshots.ts');
      await restoreSnapshot(context, program.opts(), name, { snapshot, ...options });
    });
}
