import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';

export function addVersionCommand(program: Command, context: CliContext): void {
  program
    .command('version')
    .description('print the versions of this command and of the server')
    .option('--client', 'only of this command')
    .addOption(outputOption(['json', 'yaml']))
    .action(async (options) => {
      const { printVersion } = await import('../command/version.ts');
      await printVersion(context, program.opts(), options);
    });
}
