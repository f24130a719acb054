import { LOG_LEVELS } from '@fairway/service/log-levels';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { commaList, durationBetween } from '../command/options.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { collectLogLevels } from '../up/log-level-options.ts';

/** Flags shared with openstack-cloud-controller-manager have the same names, meanings and defaults. */
export function addCloudProviderCommand(program: Command, context: CliContext): void {
  const election = (flag: string, description: string, value: string) =>
    new Option(`--leader-elect-${flag} <duration>`, description)
      .argParser(durationBetween('1s', '10m'))
      .default(durationBetween('1s', '10m')(value), value);
  program
    .command('cloud-provider')
    .description(
      'run only the cloud provider, for an existing cluster on OpenStack, instead of openstack-cloud-controller-manager',
    )
    .option('--cloud <name>', 'cloud in clouds.yaml; default: OS_CLOUD')
    .option('--cloud-config <file>', 'cloud.conf file of cloud-provider-openstack, to use instead of clouds.yaml')
    .addOption(
      new Option('--cloud-provider <name>', 'ignored; accepted for compatibility with existing command lines').choices([
        'openstack',
      ]),
    )
    .option('--cluster-name <name>', 'name of the cluster, which is used in the names of load balancers', 'kubernetes')
    .option(
      '--adopt-cluster-name <name>',
      'value of --cluster-name of the former openstack-cloud-controller-manager, if only this cluster used that name: the load balancers of its Services are adopted',
    )
    .option('--cluster-cidr <range>', 'pod CIDR of the cluster, for routes to pods')
    .addOption(
      new Option(
        '--controllers <names>',
        'controllers to run: "*" for those that are on by default (cloud-node, cloud-node-lifecycle, service, route); volume and ingress can be added; -NAME disables a controller',
      )
        .argParser(controllerNames)
        .default(DEFAULT_CONTROLLERS, '*'),
    )
    .addOption(
      new Option('--leader-elect [boolean]', 'act only while this process holds the Lease')
        .argParser(parseFlag)
        .preset('true')
        .default(true),
    )
    .addOption(
      election(
        'lease-duration',
        'time after which other candidates may take over a Lease that has not been renewed',
        '15s',
      ),
    )
    .addOption(
      election('renew-deadline', 'time after which the leader stops if it has not been able to renew the Lease', '10s'),
    )
    .addOption(election('retry-period', 'interval between attempts to acquire or renew the Lease', '2s'))
    .option('--leader-elect-resource-name <name>', 'name of the Lease', 'cloud-controller-manager')
    .option('--leader-elect-resource-namespace <name>', 'namespace of the Lease', 'kube-system')
    .addOption(
      new Option(
        '--metrics-listen <host:port>',
        'serve /metrics and /healthz over HTTP on this address, without authentication; default: disabled',
      ).argParser(parseListenAddress),
    )
    .addOption(new Option('--log-level <level>', 'log level').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--log-levels <levels>', 'log levels of components, such as openstack=debug').argParser(
        collectLogLevels,
      ),
    )
    .addHelpText(
      'after',
      "\nThe cluster is selected by --kubeconfig and --context, else KUBECONFIG, else the pod's own cluster, else ~/.kube/config.",
    )
    .action(async (options) => {
      const { runCloudProviderCommand } = await import('../cloud-provider/run.ts');
      await runCloudProviderCommand(context, { ...program.opts<GlobalOptions>(), ...options });
    });
}

const DEFAULT_CONTROLLERS: readonly string[] = ['*'];

/** Named controllers replace the default. */
export function controllerNames(text: string, previous: readonly string[] | undefined): readonly string[] {
  return commaList(text, previous === DEFAULT_CONTROLLERS ? undefined : previous);
}

function parseFlag(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('Must be true or false.');
}
