import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addInstallCommand(program: Command, context: CliContext): void {
  program
    .command('install')
    .description(
      'turn a Kubernetes cluster into a management cluster: install kinds, roles, plans and releases; safe to run again',
    )
    .option('--dry-run', 'only validate on the server, without changing anything')
    .addOption(
      new Option('-o, --output <format>', 'print the manifests, for GitOps, without contacting a server').choices([
        'yaml',
        'json',
      ]),
    )
    .option('--force-conflicts', 'take over conflicting fields from other managers')
    .option(
      '--allow-downgrade',
      'install the kinds of this release over those of a later one, even though stored values are lost',
    )
    .action(async (options) => {
      const { runInstall } = await import('../install/run.ts');
      await runInstall(context, program.opts(), options);
    });
}
