import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addInstallCommand(program: Command, context: CliContext): void {
  program
    .command('install')
    .description(
      'turn a Kubernetes cluster into a management cluster: install the kinds, roles, plans and releases; safe to run again',
    )
    .option('--dry-run', 'only validate on the server, without changing anything')
    .addOption(
      new Option(
        '-o, --output <format>',
        'print the manifests in this format, for GitOps, without contacting a server',
      ).choices(['yaml', 'json']),
    )
    .option('--force-conflicts', 'take over conflicting fields from other field managers')
    .option(
      '--allow-downgrade',
      'replace the kinds of a later release with those of this release, even if stored values are lost',
    )
    .action(async (options) => {
      const { runInstall } = await import('../install/run.ts');
      await runInstall(context, program.opts(), options);
    });
}
