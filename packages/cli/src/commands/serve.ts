import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { commaList } from '../command/options.ts';
import { parseWebhookUrl } from '../serve/webhook-url.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { addFairwayOptions } from './fairway-options.ts';

const DEFAULT_LISTEN = '127.0.0.1:8443';

export function addServeCommand(program: Command, context: CliContext): void {
  const command = program
    .command('serve')
    .description('run Fairway\'s controllers and its gateway over a management cluster prepared by "fairway install"')
    .option('--home <dir>', 'folder for local state, such as control planes; default: FAIRWAY_HOME, else ./.fairway')
    .addOption(
      new Option('--listen <host:port>', "address where the tenants' gateway listens; port 0 takes a free one")
        .argParser(parseListenAddress)
        .default(parseListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .option('--tls-san <names>', 'further host names and addresses of the gateway, for its certificate', commaList, [])
    .addOption(
      new Option(
        '--webhook-url <url>',
        'https://HOST[:PORT] by which the API server reaches the gateways: a Service or a load balancer; default: where this one listens',
      ).argParser(parseWebhookUrl),
    )
    .option('--no-gateway', 'run only the controllers');
  addFairwayOptions(command)
    .addHelpText(
      'after',
      "\nThe management cluster is chosen by --kubeconfig and --context, else KUBECONFIG, else the pod's own cluster, else ~/.kube/config.",
    )
    .action(async (options) => {
      const { runServe } = await import('../serve/run.ts');
      await runServe(context, program.opts(), options);
    });
}
