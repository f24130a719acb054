import { type Command, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import { commaList, outputOption, timeoutOption, wholeNumber } from '../command/options.ts';
import { addDeleteCommand, addGetCommand, addListCommand } from './kind-commands.ts';
import { addSnapshotCommands } from './snapshot.ts';

export function addClusterCommands(program: Command, context: CliContext): void {
  const cluster = program.command('cluster').description('create, show and delete clusters');
  cluster
    .command('create')
    .description('create a cluster, and wait until its nodes are Ready')
    .argument('[name]', 'name of the cluster')
    .option('-f, --filename <file>', 'a Cluster and its NodePools as YAML or JSON, instead of options; - reads stdin')
    .option('--plan <name>', 'plan: what the operator promises, and its limits')
    .option('--version <version>', 'Kubernetes version such as 1.34 or 1.34.2; else the newest supported')
    .option('--flavor <name>', 'flavor of the nodes; without it the cluster has no nodes yet')
    .addOption(new Option('--nodes <count>', 'number of nodes').argParser(wholeNumber(0)).default(3))
    .option('--zones <names>', 'availability zones to spread the nodes over, such as a,b,c', commaList)
    .option('--pool <name>', "name of the node pool, unique in its namespace; else the cluster's")
    .option('--network <id>', 'existing OpenStack network for the nodes; else one is made')
    .option('--subnet <id>', 'subnet of --network')
    .addOption(outputOption(['json', 'yaml', 'name']))
    .option('--dry-run', 'let the server check it, and make nothing')
    .option('--no-wait', 'return when it is accepted')
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
  addGetCommand(cluster, context, program, { kind: 'cluster', plural: 'clusters' });
  addSnapshotCommands(cluster, context, program);
  cluster
    .command('pause')
    .description('have Fairway leave clusters alone, with their pools and machines; what runs in them runs on')
    .argument('[names...]', 'names of clusters')
    .option('--all', 'every cluster of every namespace')
    .action(async (names, options) => {
      const { setPaused } = await import('../resources/pause-clusters.ts');
      await setPaused(context, program.opts(), names, options, true);
    });
  cluster
    .command('resume')
    .description('have Fairway take paused clusters up again')
    .argument('[names...]', 'names of clusters')
    .option('--all', 'every cluster of every namespace')
    .action(async (names, options) => {
      const { setPaused } = await import('../resources/pause-clusters.ts');
      await setPaused(context, program.opts(), names, options, false);
    });
  addDeleteCommand(cluster, context, program, {
    kind: 'cluster',
    description: 'delete clusters with all that was made for them, and wait until it is gone',
  });
}
