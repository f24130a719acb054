import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { addFairwayOptions, addListenOptions } from './fairway-options.ts';

export function addUpCommand(program: Command, context: CliContext): void {
  const command = program
    .command('up')
    .description('run Fairway here: API, controllers, control planes and, without --cloud, a simulated OpenStack cloud')
    .option('--home <dir>', 'folder for all state; default: FAIRWAY_HOME, else ./.fairway');
  addFairwayOptions(addListenOptions(command, "Fairway's API"))
    .addOption(
      new Option('--sim-latency <profile>', 'latency of the simulated cloud')
        .choices(['none', 'realistic'])
        .default('none'),
    )
    .action(async (options) => {
      const { runUp } = await import('../up/run.ts');
      const { effectiveOptions } = await import('../configuration/effective.ts');
      await runUp(context, effectiveOptions(context, command, options));
    });
}
