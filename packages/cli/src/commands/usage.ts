import { usageError } from '@fairway/service/command-error';
import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

const FORMS = ['json', 'yaml', 'csv', 'cloudkitty', 'ceilometer'];

export function addUsageCommand(program: Command, context: CliContext): void {
  const usage = program
    .command('usage')
    .description(
      'show what a project has used: control planes, nodes, volumes, load balancers and floating IPs, in exact seconds',
    )
    .option('-A, --all-namespaces', 'of all projects that you can read')
    .option('--project <id>', 'of one project, by its namespace or its id in OpenStack, among all that you can read')
    .option(
      '--from <time>',
      'from this time on: 2026-11-01, 2026-11 or 2026-11-01T12:00:00Z, in UTC; default: the first of this month',
    )
    .option('--to <time>', 'up to this time, without it; default: now')
    .addOption(new Option('--by <period>', 'a row for each UTC hour, day or month').choices(['hour', 'day', 'month']))
    .option('--clusters', 'a row for each cluster')
    .addOption(new Option('-o, --output <format>', 'output format; default: a table').choices(FORMS))
    .action(async (options) => {
      const { printUsage } = await import('../usage/run.ts');
      await printUsage(context, program.opts(), options);
    });
  usage
    .command('push')
    .description('send CloudKitty the hours of all projects that it has not taken yet, and end; for a timer')
    .requiredOption(
      '--cloud <name>',
      'with this user of clouds.yaml, who may add data frames; CloudKitty is the service "rating" of the catalog',
    )
    .option('--since <time>', 'the first hour, if none was ever pushed there; default: the last one that is over')
    .option('--prices <file>', 'YAML with what an hour of each type costs; default: everything costs 0')
    .action(async (options) => {
      const [others] = Object.keys(usage.opts());
      if (others !== undefined)
        throw usageError(
          '"fairway usage push" takes no options of "fairway usage"',
          'it always sends all projects, hour by hour',
        );
      const { runUsagePush } = await import('../usage/push/run.ts');
      await runUsagePush(context, program.opts(), options);
    });
}
