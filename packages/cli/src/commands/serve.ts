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
    .description(
      'run Fairway\'s controllers and its gateway over a management cluster, which "fairway install" has made one',
    )
    .option('--home <dir>', 'folder for what runs here, such as control planes; else FAIRWAY_HOME, else ./.fairway')
    .addOption(
      new Option('--listen <host:port>', "where the gateway, the tenants' door, listens; port 0 takes a free one")
        .argParser(parseListenAddress)
        .default(parseListenAddress(DEFAULT_LISTEN), DEFAULT_LISTEN),
    )
    .option('--tls-san <names>', 'further names and addresses that the gateway is reached by', commaList, [])
    .addOption(
      new Option(
        '--webhook-url <url>',
        'https://HOST[:PORT] by which the API server reaches the gateways: a Service or a load balancer; else where this one listens',
      ).argParser(parseWebhookUrl),
    )
    .option('--no-gateway', 'run the controllers alone');
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
