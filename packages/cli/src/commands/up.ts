import { DEFAULT_BACKUP_KEEP, DEFAULT_BACKUP_SCHEDULE } from '@fairway/service/backup/backup-schedule';
import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { wholeNumber } from '../command/options.ts';
import { checkedSchedule } from '../up/backup-schedule-option.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { addFairwayOptions, addListenOptions } from './fairway-options.ts';

export function addUpCommand(program: Command, context: CliContext): void {
  const command = program
    .command('up')
    .description(
      'run Fairway on this machine: the API, controllers, control planes and, without --cloud, a simulated OpenStack cloud',
    )
    .option('--home <dir>', 'folder for all state; default: FAIRWAY_HOME, else ./.fairway');
  addFairwayOptions(addListenOptions(command, "Fairway's API"))
    .addOption(
      new Option('--sim-latency <profile>', 'latency profile of the simulated cloud')
        .choices(['none', 'realistic'])
        .default('none'),
    )
    .addOption(
      new Option(
        '--backup-schedule <cron>',
        `schedule for backups of Fairway's own objects to the object store, in UTC: a cron expression with five fields, or "never"; default with --off-host: ${DEFAULT_BACKUP_SCHEDULE}`,
      ).argParser(checkedSchedule),
    )
    .addOption(
      new Option('--backup-keep <count>', 'number of backups to keep in the object store')
        .argParser(wholeNumber(1))
        .default(DEFAULT_BACKUP_KEEP),
    )
    .addOption(
      new Option(
        '--external-autoscaler-listen <host:port>',
        "address on which clusters' own cluster-autoscalers are served (externalgrpc); default: disabled",
      ).argParser(parseListenAddress),
    )
    .action(async (options) => {
      const { runUp } = await import('../up/run.ts');
      const { effectiveOptions } = await import('../configuration/effective.ts');
      const read = () => effectiveOptions(context, command, options);
      await runUp(context, read(), read);
    });
}
