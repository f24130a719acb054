import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

/** `fairway versions`. */
export function addVersionsCommand(program: Command, context: CliContext): void {
  program
    .command('versions')
    .description('list the available Kubernetes versions with their support phase, dates and possible upgrades')
    .option('--cluster <name>', 'show only versions to which this cluster can be upgraded')
    .addOption(
      new Option('--plan <name>', 'show only versions that new clusters of this plan can use').conflicts('cluster'),
    )
    .option('--all', 'also show versions that new clusters can no longer choose')
    .addOption(outputOption())
    .action(async (options) => {
      const { listVersions } = await import('../resources/versions.ts');
      await listVersions(context, program.opts(), options);
    });
}
