import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { outputOption } from '../command/options.ts';
import { addGetCommand, addListCommand } from './kind-commands.ts';

export function addVersionCommand(program: Command, context: CliContext): void {
  const version = program
    .command('version')
    .description('print the versions of this command and of the server')
    .option('--client', 'print only the version of this command')
    .addOption(outputOption(['json', 'yaml']))
    .action(async (options) => {
      const { printVersion } = await import('../command/version.ts');
      await printVersion(context, program.opts(), options);
    });
  const words = {
    kind: 'kubernetesrelease',
    plural: 'Kubernetes versions',
    isClusterScoped: true,
  } as const;
  addListCommand(version, context, program, words);
  addGetCommand(version, context, program, words);
}
