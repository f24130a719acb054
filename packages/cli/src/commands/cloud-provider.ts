import { LOG_LEVELS } from '@fairway/service/log-levels';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { commaList, durationFrom } from '../command/options.ts';
import { parseListenAddress } from '../up/listen-address.ts';
import { collectLogLevels } from '../up/log-level-options.ts';

/** Flags that openstack-cloud-controller-manager has too mean the same, by the same names and defaults. */
export function addCloudProviderCommand(program: Command, context: CliContext): void {
  const election = (flag: string, description: string, value: string) =>
    new Option(`--leader-elect-${flag} <duration>`, description)
      .argParser(durationFrom('1s', '10m'))
      .default(durationFrom('1s', '10m')(value), value);
  program
    .command('cloud-provider')
    .description(
      'run the cloud provider alone for an existing cluster on OpenStack, in place of openstack-cloud-controller-manager',
    )
    .option('--cloud <name>', 'cloud of clouds.yaml; default: OS_CLOUD')
    .option('--cloud-config <file>', "cloud.conf of cloud-provider-openstack, in clouds.yaml's place")
    .addOption(new Option('--cloud-provider <name>', 'accepted for old command lines').choices(['openstack']))
    .option('--cluster-name <name>', 'in the names of load balancers', 'kubernetes')
    .option(
      '--adopt-cluster-name <name>',
      "--cluster-name of openstack-cloud-controller-manager, if this cluster alone had it: its Services' load balancers are taken over",
    )
    .option('--cluster-cidr <range>', 'range of pods, for routes to them')
    .addOption(
      new Option(
        '--controllers <names>',
        '"*" for those that are on by default (cloud-node, cloud-node-lifecycle, service, route), also volume and ingress; -NAME leaves one out',
      )
        .argParser(commaList)
        .default(['*'], '*'),
    )
    .addOption(
      new Option('--leader-elect [boolean]', 'act only while this process holds the Lease')
        .argParser(parseFlag)
        .preset('true')
        .default(true),
    )
    .addOption(election('lease-duration', 'how long a leader that does not renew keeps the Lease', '15s'))
    .addOption(election('renew-deadline', 'how long a leader acts without having renewed', '10s'))
    .addOption(election('retry-period', 'how often it is renewed, and tried for', '2s'))
    .option('--leader-elect-resource-name <name>', 'of the Lease', 'cloud-controller-manager')
    .option('--leader-elect-resource-namespace <name>', 'of the Lease', 'kube-system')
    .addOption(
      new Option(
        '--metrics-listen <host:port>',
        'serve /metrics and /healthz here over HTTP, to whoever reaches it; nowhere by default',
      ).argParser(parseListenAddress),
    )
    .addOption(new Option('--log-level <level>', 'how much is logged').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--log-levels <levels>', 'other levels for parts, such as openstack=debug').argParser(
        collectLogLevels,
      ),
    )
    .addHelpText(
      'after',
      "\nThe cluster is chosen by --kubeconfig and --context, else KUBECONFIG, else the pod's own cluster, else ~/.kube/config.",
    )
    .action(async (options) => {
      const { runCloudProviderCommand } = await import('../cloud-provider/run.ts');
      await runCloudProviderCommand(context, { ...program.opts<GlobalOptions>(), ...options });
    });
}

function parseFlag(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('Neither true nor false.');
}
