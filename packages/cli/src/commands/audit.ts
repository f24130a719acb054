import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { durationBetween, outputOption, wholeNumber } from '../command/options.ts';

export function addAuditCommand(program: Command, context: CliContext): void {
  declareAuditOptions(program.command('audit').description('show who did what in a project, newest first')).action(
    async (options) => {
      const { printAudit } = await import('../audit/run.ts');
      await printAudit(context, program.opts(), options);
    },
  );
}

/** Adds the same command for a cluster's API server. */
export function addClusterAuditCommand(cluster: Command, context: CliContext, program: Command): void {
  declareAuditOptions(
    cluster
      .command('audit')
      .description('show who did what within a cluster whose audit log is enabled (spec.apiServer.audit), newest first')
      .argument('<name>', 'name of the cluster'),
  ).action(async (name, options) => {
    const { printAudit } = await import('../audit/run.ts');
    await printAudit(context, program.opts(), options, name);
  });
}

function declareAuditOptions(command: Command): Command {
  return command
    .option(
      '--since <duration>',
      'show only events that are newer than this duration, such as 2h',
      durationBetween('1s'),
    )
    .option('--user <name>', 'show only events of this user')
    .option('--verb <verb>', 'show only events with this verb: create, update, patch, delete, get, list')
    .option('--limit <count>', 'maximum number of events to show', wholeNumber(1), 100)
    .addOption(outputOption(['wide', 'json', 'yaml']));
}
