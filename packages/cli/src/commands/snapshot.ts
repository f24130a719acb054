import type { Command } from 'commander';
import { yesOption } from '../command/confirm.ts';
import type { CliContext } from '../command/context.ts';
import { dryRunOption, noWaitOption, outputOption, timeoutOption, waitOption } from '../command/options.ts';

/** Snapshot and restore commands, below `fairway cluster`. */
export function addSnapshotCommands(cluster: Command, context: CliContext, program: Command): void {
  cluster
    .command('snapshots')
    .description("list the snapshots of a cluster's database, newest first")
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
    .addOption(dryRunOption())
    .addOption(waitOption('the snapshot is taken'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('5m'))
    .action(async (name, options) => {
      const { takeSnapshot } = await import('../resources/snapshots.ts');
      await takeSnapshot(context, program.opts(), name, options);
    });
  cluster
    .command('restore')
    .description(
      'restore the whole database of a cluster from a snapshot; the current data is first saved as a snapshot',
    )
    .argument('<cluster>', 'name of the cluster')
    .argument('<snapshot>', 'name of the snapshot, from "fairway cluster snapshots CLUSTER"')
    .addOption(yesOption())
    .addOption(dryRunOption())
    .addOption(waitOption('the snapshot is restored'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('10m'))
    .action(async (name, snapshot, options) => {
      const { restoreSnapshot } = await import('../resources/snapshots.ts');
      await restoreSnapshot(context, program.opts(), name, { snapshot, ...options });
    });
}
