import type { Command } from 'commander';
import type { CliContext } from '../command/context.ts';
import {
  collect,
  commaList,
  dryRunOption,
  keyValues,
  networks,
  nodesOption,
  noWaitOption,
  outputOption,
  property,
  taints,
  timeoutOption,
  waitOption,
  wholeNumber,
} from '../command/options.ts';
import type { PoolUpgradeVerb } from '../resources/pool-upgrade-verbs.ts';
import {
  addDeleteCommand,
  addDescribeCommand,
  addEventsCommand,
  addListCommand,
  addWaitCommand,
  addWatchableGetCommand,
} from './kind-commands.ts';
import { addNodePoolUpdateCommand } from './update.ts';

export function addNodePoolCommands(program: Command, context: CliContext): void {
  const words = { kind: 'nodepool', plural: 'node pools', hasCluster: true } as const;
  const nodePool = program
    .command('nodepool')
    .alias('np')
    .alias('pool')
    .description('create, show, scale and delete node pools, and pause the update of their nodes');
  nodePool
    .command('create')
    .description('add a node pool to a cluster and wait until its nodes are Ready')
    .argument('[name]', 'name of the pool')
    .option('-f, --filename <file>', 'file with NodePools as YAML or JSON, instead of options; - reads stdin')
    .option('--cluster <name>', 'cluster of the pool')
    .option('--flavor <name>', 'flavor of the nodes')
    .option('--nodes <count>', 'number of nodes; default: 1', wholeNumber(0))
    .option('--min <count>', 'minimum number of nodes', wholeNumber(0))
    .option('--max <count>', 'maximum number of nodes', wholeNumber(0))
    .option('--zones <names>', 'availability zones for the nodes, such as a,b,c', commaList)
    .option('--anti-affinity', 'place every node on a different hypervisor; at most 5 nodes')
    .option('--soft-anti-affinity', 'place nodes on different hypervisors if the cloud has room')
    .option('--labels <pairs>', 'labels of the nodes, such as tier=web', keyValues)
    .option('--taints <list>', 'taints of the nodes, such as dedicated=db:NoSchedule', taints)
    .option('--tag <tag>', 'tag of the servers in the cloud; repeatable', collect)
    .option('--property <key=value>', 'metadata of the servers in the cloud; repeatable', property)
    .option('--security-group <name>', 'additional security group of the servers, by name or ID; repeatable', collect)
    .option(
      '--network <id[/subnet]>',
      'ID of an additional network of the servers, followed by the ID of a subnet if the network has several; repeatable',
      networks,
    )
    .option('--floating-ips', 'assign a floating IP to every node')
    .option('--image <name>', 'image of the nodes; default: the image of the cluster')
    .option('--root-volume <GiB>', "boot from a volume of this size instead of the flavor's own disk", wholeNumber(10))
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
  addWatchableGetCommand(nodePool, context, program, { ...words, watched: 'one pool with its nodes' });
  nodePool
    .command('scale')
    .description('change the number of nodes in a pool and wait until the new number is reached')
    .argument('<name>', 'name of the pool')
    .addOption(nodesOption())
    .addOption(dryRunOption())
    .addOption(waitOption('the requested number of nodes is Ready'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('15m'))
    .action(async (name, options) => {
      const { scaleNodePool } = await import('../resources/scale-node-pool.ts');
      await scaleNodePool(context, program.opts(), name, options);
    });
  addDescribeCommand(nodePool, context, program, words);
  addNodePoolUpdateCommand(nodePool, context, program);
  addEventsCommand(nodePool, context, program, {
    kind: 'nodepool',
    description: 'show the events of a node pool and its machines, newest last',
  });
  addWaitCommand(nodePool, context, program, { ...words, ready: 'also show their nodes' });
  addDeleteCommand(nodePool, context, program, {
    kind: 'nodepool',
    description: 'delete pools: drain and delete all of their nodes, and wait until they are gone',
  });
  const addVerb = (verb: PoolUpgradeVerb, description: string): void => {
    nodePool
      .command(verb)
      .description(description)
      .argument('<name>', 'name of the pool')
      .addOption(dryRunOption())
      .action(async (name, options) => {
        const { requestPoolUpgrade } = await import('../resources/pool-upgrade-verbs.ts');
        await requestPoolUpgrade(context, program.opts(), name, verb, options);
      });
  };
  addVerb('pause', "pause the update of a pool's nodes until it is resumed");
  addVerb('resume', "resume the update of a pool's nodes that was paused or aborted");
  addVerb(
    'abort-upgrade',
    "abort the update of a pool's nodes: updated nodes stay updated, and the other nodes stay as they are",
  );
}
