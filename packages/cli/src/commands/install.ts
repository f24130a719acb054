import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addInstallCommand(program: Command, context: CliContext): void {
  program
    .command('install')
    .description('make a Kubernetes cluster a management cluster: kinds, roles, plans and releases; safe to run again')
    .option('--dry-run', 'let the server check all of it, and change nothing')
    .addOption(
      new Option('-o, --output <format>', 'print the manifests, for GitOps, and ask no server').choices([
        'yaml',
        'json',
      ]),
    )
    .option('--force-conflicts', 'take over fields that others have set otherwise')
    .action(async (options) => {
      const { runInstall } = await import('../install/run.ts');
      await runInstall(context, program.opts(), options);
    });
}
