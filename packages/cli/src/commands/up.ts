import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { addFairwayOptions } from './fairway-options.ts';

const DEFAULT_LISTEN = '127.0.0.1:8443';

export function addUpCommand(program: Command, context: CliContext): void {
  const command = program
    .command('up')
    .description('run Fairway here: API, controllers, control planes and, without --cloud, a simulated OpenStack cloud')
    .option('--home <dir>', 'folder for all state; default: FAIRWAY_HOME, else ./.fairway')
    .addOption(
      new Option('--listen <host:port>', "address where Fairway's API listens; port 0 takes a free one")
        .argParser(parseListenAddress)
        .default(parseListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    );
  addFairwayOptions(command)
    .addOption(
      new Option('--sim-latency <profile>', 'latency of the simulated cloud')
        .choices(['none', 'realistic'])
        .default('none'),
    )
    .action(async (options) => {
      const { runUp } = await import('../up/run.ts');
      await runUp(context, options);
    });
}
