import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import {
  commaList,
  dryRunOption,
  keyValues,
  nodesOption,
  noWaitOption,
  outputOption,
  taints,
  timeoutOption,
  waitOption,
  wholeNumber,
} from '../command/options.ts';
import type { PoolUpgradeVerb } from '../resources/pool-upgrade-verbs.ts';
import {
  addDeleteCommand,
  addEventsCommand,
  addListCommand,
  addWaitCommand,
  addWatchableGetCommand,
} from './kind-commands.ts';

export function addNodePoolCommands(program: Command, context: CliContext): void {
  const words = { kind: 'nodepool', plural: 'node pools', hasCluster: true } as const;
  const nodePool = program
    .command('nodepool')
    .alias('np')
    .alias('pool')
    .description('create, show, scale and delete node pools, and hold up the renewal of their nodes');
  nodePool
    .command('create')
    .description('add a node pool to a cluster, and wait until its nodes are Ready')
    .argument('[name]', 'name of the pool')
    .option('-f, --filename <file>', 'NodePools as YAML or JSON, instead of options; - reads stdin')
    .option('--cluster <name>', 'cluster that the pool belongs to')
    .option('--flavor <name>', 'flavor of the nodes')
    .option('--nodes <count>', 'number of nodes; default: 1', wholeNumber(0))
    .option('--min <count>', 'minimum number of nodes', wholeNumber(0))
    .option('--max <count>', 'maximum number of nodes', wholeNumber(0))
    .option('--zones <names>', 'availability zones to spread the nodes over, such as a,b,c', commaList)
    .option('--anti-affinity', 'every node on a different hypervisor; at most 5 nodes')
    .option('--labels <pairs>', 'labels of the nodes, such as tier=web', keyValues)
    .option('--taints <list>', 'taints of the nodes, such as dedicated=db:NoSchedule', taints)
    .option('--floating-ips', 'a floating IP for every node')
    .option('--image <name>', "image of the nodes; default: the cluster's")
    .option('--root-volume <GiB>', "boot from a volume of this size; else from the flavor's own disk", wholeNumber(10))
    .addOption(outputOption(['json', 'yaml', 'name']))
    .addOption(dryRunOption())
    .addOption(waitOption('its nodes are Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { createNodePool } = await import('../resources/create-node-pool.ts');
      await createNodePool(context, program.opts(), { name, ...options });
    });
  addListCommand(nodePool, context, program, words);
  addWatchableGetCommand(nodePool, context, program, { ...words, watched: 'one pool, with its nodes' });
  nodePool
    .command('scale')
    .description('change the number of nodes, and wait until it is reached')
    .argument('<name>', 'name of the pool')
    .addOption(nodesOption())
    .addOption(dryRunOption())
    .addOption(waitOption('so many nodes are Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { scaleNodePool } = await import('../resources/scale-node-pool.ts');
      await scaleNodePool(context, program.opts(), name, options);
    });
  addEventsCommand(nodePool, context, program, {
    kind: 'nodepool',
    description: 'show what happened to a node pool and its machines, the latest last',
  });
  addWaitCommand(nodePool, context, program, { ...words, ready: 'all of their nodes' });
  addDeleteCommand(nodePool, context, program, {
    kind: 'nodepool',
    description: 'drain and delete all nodes of pools, and wait until they are gone',
  });
  const addVerb = (verb: PoolUpgradeVerb, description: string): void => {
    nodePool
      .command(verb)
      .description(description)
      .argument('<name>', 'name of the pool')
      .action(async (name) => {
        const { orderPoolUpgrade } = await import('../resources/pool-upgrade-verbs.ts');
        await orderPoolUpgrade(context, program.opts(), name, verb);
      });
  };
  addVerb('pause', 'renew no further node of a pool until it is resumed');
  addVerb('resume', 'go on with renewing the nodes of a pool that was paused, or whose upgrade was aborted');
  addVerb(
    'abort-upgrade',
    'end the upgrade of a pool where it is: what is renewed stays so, the other nodes as they are',
  );
}
