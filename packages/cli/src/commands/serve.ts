import { type Command, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { parseWebhookUrl } from '../serve/webhook-url.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { addFairwayOptions, addListenOptions } from './fairway-options.ts';

export function addServeCommand(program: Command, context: CliContext): void {
  const command = program
    .command('serve')
    .description('run Fairway\'s controllers and gateway on top of a management cluster prepared by "fairway install"')
    .option('--home <dir>', 'folder for local state, such as control planes; default: FAIRWAY_HOME, else ./.fairway')
    .addOption(
      new Option(
        '--webhook-url <url>',
        'URL (https://HOST[:PORT]) at which the API server reaches the gateways: a Service, as https://NAME.NAMESPACE.svc:PORT, or a load balancer; default: the listen address',
      ).argParser(parseWebhookUrl),
    )
    .option('--no-gateway', 'run only the controllers')
    .addOption(
      new Option(
        '--metrics-listen <host:port>',
        'also serve /metrics over HTTP on this address, without authentication; with --no-gateway, this is the only way to serve metrics',
      ).argParser(parseListenAddress),
    );
  addFairwayOptions(addListenOptions(command, "the tenants' gateway"))
    .addHelpText(
      'after',
      "\nThe management cluster is selected by --kubeconfig and --context, else KUBECONFIG, else the pod's own cluster, else ~/.kube/config.",
    )
    .action(async (options) => {
      const { runServe } = await import('../serve/run.ts');
      const { effectiveOptions } = await import('../configuration/effective.ts');
      const read = () => effectiveOptions(context, command, { ...program.opts<GlobalOptions>(), ...options });
      await runServe(context, read(), read);
    });
}
