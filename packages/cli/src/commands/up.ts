import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { parseIPAddress, parseListenAddress } from '../up/listen-address.ts';

const DEFAULT_LISTEN = '127.0.0.1:8443';

export function addUpCommand(program: Command, context: CliContext): void {
  program
    .command('up')
    .description('run Fairway here: API, controllers, control planes and, without --cloud, a simulated OpenStack cloud')
    .option('--home <dir>', 'folder for all state; else FAIRWAY_HOME, else ./.fairway')
    .addOption(
      new Option('--listen <host:port>', "where Fairway's API listens; port 0 takes a free one")
        .argParser(parseListenAddress)
        .default(parseListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .option('--cloud <name>', 'drive this cloud of clouds.yaml instead of a simulated one')
    .option('--default-image <name>', 'image of nodes, by name or id, where neither cluster nor pool names one')
    .addOption(
      new Option(
        '--control-plane <runtime>',
        "how clusters' control planes run: real ones as local processes, or simulated; processes if KUBEBUILDER_ASSETS is set",
      ).choices(['process', 'simulated']),
    )
    .addOption(
      new Option(
        '--control-plane-address <address>',
        "this machine's address where API servers listen that run as processes, and where nodes find them",
      )
        .argParser(parseIPAddress)
        .default('127.0.0.1'),
    )
    .option(
      '--node-settings <file>',
      'YAML with what holds for all nodes: mirrors of packages and images, proxy, authorities (docs/operators/nodes.md)',
    )
    .addOption(
      new Option('--sim-latency <profile>', 'how the simulated cloud takes its time')
        .choices(['none', 'realistic'])
        .default('none'),
    )
    .addOption(
      new Option('--log-level <level>', 'how much is logged, as JSON lines on stderr')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('warn'),
    )
    .action(async (options) => {
      const { runUp } = await import('../up/run.ts');
      await runUp(context, options);
    });
}
