import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';

export function addHollowNodesCommand(program: Command, context: CliContext): void {
  program
    .command('hollow-nodes')
    .description(
      'simulate the nodes of a cloud whose servers do not really boot: join each server with its own user data',
    )
    .addOption(
      new Option('--cloud <name>', 'cloud in clouds.yaml, whose user must be an administrator').makeOptionMandatory(
        true,
      ),
    )
    .option('--state <dir>', "folder for the nodes' disks; default: FAIRWAY_HOME/nodes")
    .addOption(
      new Option('--log-level <level>', 'log level').choices(['debug', 'info', 'warn', 'error']).default('info'),
    )
    .action(async (options) => {
      const { runHollowNodes } = await import('../hollow-nodes/run.ts');
      await runHollowNodes(context, options);
    });
}
