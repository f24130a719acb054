import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import {
  commaList,
  dryRunOption,
  nodesOption,
  noWaitOption,
  outputOption,
  timeoutOption,
  waitOption,
  wholeNumber,
} from '../command/options.ts';
import { addClusterAuditCommand } from './audit.ts';
import { addAutoscalerConfigCommand } from './autoscaler-config.ts';
import { addCredentialCommands } from './credentials.ts';
import { addHibernationCommands } from './hibernation.ts';
import {
  addDeleteCommand,
  addDescribeCommand,
  addEventsCommand,
  addListCommand,
  addWaitCommand,
  addWatchableGetCommand,
} from './kind-commands.ts';
import { declareKubeconfigCommand } from './kubeconfig.ts';
import { addMaintenanceCommands } from './maintenance.ts';
import { addResetCommands } from './reset.ts';
import { addSnapshotCommands } from './snapshot.ts';
import { addClusterUpdateCommand } from './update.ts';
import { addUpgradeCommand } from './upgrade.ts';

export function addClusterCommands(program: Command, context: CliContext): void {
  const cluster = program.command('cluster').description('create, show and delete clusters');
  cluster
    .command('create')
    .description('create a cluster and wait until its nodes are Ready')
    .argument('[name]', 'name of the cluster')
    .option(
      '-f, --filename <file>',
      'file with a Cluster and its NodePools as YAML or JSON, instead of options; - reads stdin',
    )
    .option('--plan <name>', 'plan of the cluster, which sets its limits and service level')
    .option('--version <version>', 'Kubernetes version such as 1.34 or 1.34.2; default: the newest supported version')
    .option('--flavor <name>', 'flavor of the nodes; without this option, the cluster has no nodes')
    .option('--nodes <count>', 'number of nodes, with --flavor; default: 3', wholeNumber(0))
    .option('--zones <names>', 'availability zones for the nodes, such as a,b,c', commaList)
    .option(
      '--pool <name>',
      "name of the node pool, unique in its namespace; default: the cluster's name with the suffix -general",
    )
    .option('--network <id>', 'ID of an existing OpenStack network for the nodes; default: a new network is created')
    .option('--subnet <id>', 'ID of a subnet of --network')
    .addOption(outputOption(['json', 'yaml', 'name']))
    .addOption(dryRunOption())
    .addOption(waitOption('its nodes are Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .addHelpText(
      'after',
      '\nExample:\n  fairway cluster create demo --flavor b3-8 --nodes 3 --zones nova-a,nova-b,nova-c',
    )
    .action(async (name, options) => {
      const { createCluster } = await import('../resources/create-cluster.ts');
      await createCluster(context, program.opts(), { name, ...options });
    });
  addListCommand(cluster, context, program, { kind: 'cluster', plural: 'clusters' });
  addWatchableGetCommand(cluster, context, program, {
    kind: 'cluster',
    plural: 'clusters',
    watched: 'one cluster with its pools',
  });
  addDescribeCommand(cluster, context, program, { kind: 'cluster', plural: 'clusters' });
  addClusterUpdateCommand(cluster, context, program);
  addEventsCommand(cluster, context, program, {
    kind: 'cluster',
    description: 'show the events of a cluster, its pools and its machines, newest last',
  });
  addClusterAuditCommand(cluster, context, program);
  addWaitCommand(cluster, context, program, {
    kind: 'cluster',
    plural: 'clusters',
    ready: 'also show their pools',
  });
  cluster
    .command('scale')
    .description('change the number of nodes in a pool of a cluster and wait until the new number is reached')
    .argument('<name>', 'name of the cluster')
    .addOption(nodesOption())
    .option('--pool <name>', 'name of the pool; required if the cluster has several pools')
    .addOption(dryRunOption())
    .addOption(waitOption('the requested number of nodes is Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { scaleCluster } = await import('../resources/scale-node-pool.ts');
      await scaleCluster(context, program.opts(), name, options);
    });
  declareKubeconfigCommand(cluster, context, program, '<cluster>');
  addSnapshotCommands(cluster, context, program);
  addUpgradeCommand(cluster, context, program);
  addMaintenanceCommands(cluster, context, program);
  addAutoscalerConfigCommand(cluster, context, program);
  addHibernationCommands(cluster, context, program);
  addCredentialCommands(cluster, context, program);
  addResetCommands(cluster, context, program);
  cluster
    .command('pause')
    .description('stop reconciling clusters, their pools and their machines; workloads keep running')
    .argument('[names...]', 'names of clusters')
    .option('--all', 'apply to all clusters in all namespaces')
    .addOption(dryRunOption())
    .action(async (names, options) => {
      const { setPaused } = await import('../resources/pause-clusters.ts');
      await setPaused(context, program.opts(), names, options, true);
    });
  cluster
    .command('resume')
    .description('resume reconciling paused clusters')
    .argument('[names...]', 'names of clusters')
    .option('--all', 'apply to all clusters in all namespaces')
    .addOption(dryRunOption())
    .action(async (names, options) => {
      const { setPaused } = await import('../resources/pause-clusters.ts');
      await setPaused(context, program.opts(), names, options, false);
    });
  addDeleteCommand(cluster, context, program, {
    kind: 'cluster',
    description: 'delete clusters with all of their resources and wait until they are gone',
  });
}
