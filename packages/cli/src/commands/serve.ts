import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import { addFairwayOptions } from './fairway-options.ts';

export function addServeCommand(program: Command, context: CliContext): void {
  const command = program
    .command('serve')
    .description('run Fairway\'s controllers over a management cluster, which "fairway install" has made one')
    .option('--home <dir>', 'folder for what runs here, such as control planes; else FAIRWAY_HOME, else ./.fairway');
  addFairwayOptions(command)
    .addHelpText(
      'after',
      "\nThe management cluster is that of --kubeconfig and --context, else of KUBECONFIG, else the pod's own, else of ~/.kube/config.",
    )
    .action(async (options) => {
      const { runServe } = await import('../serve/run.ts');
      await runServe(context, program.opts(), options);
    });
}
