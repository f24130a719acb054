import { usageError } from '@fairway/service/command-error';
import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

const OUTPUT_FORMATS = ['json', 'yaml', 'csv', 'cloudkitty', 'ceilometer'];

export function addUsageCommand(program: Command, context: CliContext): void {
  const usage = program
    .command('usage')
    .description(
      'show what a project has used: control planes, nodes, volumes, load balancers and floating IPs, in exact seconds',
    )
    .option('-A, --all-namespaces', 'show all projects that you can read')
    .option('--project <id>', 'show only this project, given by its namespace or its ID in OpenStack')
    .option(
      '--from <time>',
      'start of the period in UTC, such as 2026-11-01, 2026-11 or 2026-11-01T12:00:00Z; default: the first of this month',
    )
    .option('--to <time>', 'end of the period, exclusive; default: now')
    .addOption(
      new Option('--by <period>', 'show a row for each UTC hour, day or month').choices(['hour', 'day', 'month']),
    )
    .option('--clusters', 'show a row for each cluster')
    .addOption(new Option('-o, --output <format>', 'output format; default: a table').choices(OUTPUT_FORMATS))
    .action(async (options) => {
      const { printUsage } = await import('../usage/run.ts');
      await printUsage(context, program.opts(), options);
    });
  usage
    .command('push')
    .description('send the hours that CloudKitty does not have yet, for all projects, and exit; to be run by a timer')
    .requiredOption(
      '--cloud <name>',
      'entry in clouds.yaml whose user may add data frames; CloudKitty is found as the service "rating" in the catalog',
    )
    .option('--since <time>', 'first hour to send if nothing has been pushed before; default: the last complete hour')
    .option('--prices <file>', 'YAML file with the hourly price of each type; default: everything costs 0')
    .action(async (options) => {
      const [others] = Object.keys(usage.opts());
      if (others !== undefined)
        throw usageError(
          'usage push does not accept the options of usage',
          'it always sends all projects, hour by hour',
        );
      const { runUsagePush } = await import('../usage/push/run.ts');
      await runUsagePush(context, program.opts(), options);
    });
}
