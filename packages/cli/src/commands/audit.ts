import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationFrom, outputOption, wholeNumber } from '../command/options.ts';

export function addAuditCommand(program: Command, context: CliContext): void {
  program
    .command('audit')
    .description('show who did what in a project, the newest first')
    .option('--since <duration>', 'no older than this, such as 2h', durationFrom('1s'))
    .option('--user <name>', 'what this user did')
    .option('--verb <verb>', 'what was done in this way: create, update, patch, delete, get, list')
    .option('--limit <count>', 'how many events at most', wholeNumber(1), 100)
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action(async (options) => {
      const { printAudit } = await import('../audit/run.ts');
      await printAudit(context, program.opts(), options);
    });
}
