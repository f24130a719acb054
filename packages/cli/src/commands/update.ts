import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../command/context.ts';
import {
  collect,
  commaList,
  dryRunOption,
  keyValues,
  networks,
  noWaitOption,
  taints,
  timeoutOption,
  waitOption,
  wholeNumber,
} from '../command/options.ts';

/** `fairway cluster update`. */
export function addClusterUpdateCommand(cluster: Command, context: CliContext, program: Command): void {
  const command = cluster
    .command('update')
    .description('change fields of a cluster; for the version, use "cluster upgrade"')
    .argument('<name>', 'name of the cluster')
    .option('--plan <name>', 'new plan; the cluster and its pools must be within the limits of the plan')
    .addOption(
      new Option('--update-policy <policy>', 'how new patches are installed').choices([
        'AlwaysUpdate',
        'MinimalDowntime',
        'NeverUpdate',
      ]),
    )
    .option(
      '--allowed-cidrs <list>',
      'CIDRs that can reach the API server, such as 198.51.100.0/24; replaces the whole list',
      commaList,
    )
    .option('--image <name>', 'image of the nodes, for pools that do not set an image')
    .option('--credential <name>', 'CloudCredential to use, which must be of the same project')
    .option('--maintenance-start <time>', 'start of the maintenance window, such as 02:30')
    .option('--maintenance-duration <duration>', 'duration of the maintenance window, from 30m to 23h')
    .option(
      '--maintenance-days <days>',
      'days on which the maintenance window starts, such as Saturday,Sunday',
      commaList,
    )
    .option('--maintenance-time-zone <name>', 'time zone of the maintenance window, such as Europe/Berlin');
  finish(command, 'cluster').action(async (name, options) => {
    const { updateCluster } = await import('../resources/update-object.ts');
    await updateCluster(context, program.opts(), name, options);
  });
}

/** `fairway nodepool update`. */
export function addNodePoolUpdateCommand(nodePool: Command, context: CliContext, program: Command): void {
  const command = nodePool
    .command('update')
    .description('change fields of a pool; for the number of nodes, use "nodepool scale"')
    .argument('<name>', 'name of the pool')
    .option('--cluster <name>', 'cluster of the pool; can be changed only while the current cluster does not exist')
    .option('--flavor <name>', 'flavor of the nodes; a change replaces the nodes')
    .option('--image <name>', 'image of the nodes; a change replaces or reinstalls the nodes')
    .option('--root-volume <GiB>', 'boot from a volume of this size; a change replaces the nodes', wholeNumber(10))
    .option('--zones <names>', 'availability zones for the nodes, such as a,b,c; replaces the whole list', commaList)
    .option('--min <count>', 'minimum number of nodes', wholeNumber(0))
    .option('--max <count>', 'maximum number of nodes', wholeNumber(0))
    .option('--autoscaling', 'enable autoscaling')
    .option('--no-autoscaling', 'disable autoscaling')
    .option('--labels <pairs>', 'labels to set on the nodes, such as tier=web', keyValues)
    .option('--remove-labels <keys>', 'labels to remove from the nodes', commaList)
    .option('--taints <list>', 'taints of the nodes, such as dedicated=db:NoSchedule; replaces the whole list', taints)
    .option('--no-taints', 'remove all taints')
    .option(
      '--security-group <name>',
      'additional security group of the servers, by name or ID; repeatable; replaces the whole list',
      collect,
    )
    .option('--no-security-group', 'remove all additional security groups')
    .option(
      '--network <id[/subnet]>',
      'ID of an additional network of the servers, followed by the ID of a subnet if the network has several; repeatable; replaces the whole list and the nodes',
      networks,
    )
    .option('--no-network', 'remove all additional networks; replaces the nodes')
    .option('--floating-ips', 'assign a floating IP to every node')
    .option('--no-floating-ips', 'remove the floating IPs');
  finish(command, 'pool').action(async (name, options) => {
    const { updateNodePool } = await import('../resources/update-object.ts');
    await updateNodePool(context, program.opts(), name, options);
  });
}

function finish(command: Command, noun: string): Command {
  return command
    .option(
      '--patch <json>',
      `other fields of the ${noun}'s spec, as a JSON merge patch; null clears a field`,
      jsonObject,
    )
    .addOption(dryRunOption())
    .addOption(waitOption('the changes are applied'))
    .addOption(noWaitOption())
    .addOption(timeoutOption('1h'));
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Same error as for invalid JSON.
  }
  throw new InvalidArgumentError('Must be a JSON object such as {"healing":{"enabled":false}}.');
}
