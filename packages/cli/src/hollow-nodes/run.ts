import { type FleetCloud, HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { FolderDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { CommandError } from '@fairway/service/command-error';
import { type LogLevel, LogLevels } from '@fairway/service/log-levels';
import { createLogger } from '@fairway/service/logger';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { homePath } from '../client/choose-kubeconfig.ts';
import type { CliContext } from '../command/context.ts';
import { requireCloud } from '../up/cloud-options.ts';

interface HollowNodesOptions {
  readonly cloud: string;
  readonly state?: string;
  readonly logLevel: LogLevel;
}

/**
 * Joins a node for every server of a cloud that does not boot servers, as if the server had booted with its user data.
 */
export async function runHollowNodes(context: CliContext, options: HollowNodesOptions): Promise<void> {
  const { clock, signal, stderr, env, cwd } = context;
  const log = createLogger(new LogLevels(options.logLevel));
  const clouds = readCloudsYaml();
  requireCloud(clouds, options.cloud);
  const cloud = openCloud(clouds, options.cloud, { clock, random: Math.random, log });
  try {
    const client = cloud.client();
    const fleetCloud = openStackFleetCloud(client);
    // Report wrong credentials immediately instead of repeatedly in a log.
    await requireAdministrator(fleetCloud, options.cloud, signal);
    const fleet = new HollowNodeFleet({
      cloud: fleetCloud,
      disks: new FolderDisks(options.state ?? new Home(homePath(undefined, env, cwd)).nodes),
      clock,
      random: Math.random,
      log,
    });
    fleet.start();
    stderr.write(`simulating the servers of cloud ${options.cloud} as hollow nodes; stop with Ctrl-C\n`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await fleet.stop();
  } finally {
    await cloud.close();
  }
}

/** Only an administrator may list the servers of all projects and read their user data. */
async function requireAdministrator(cloud: FleetCloud, name: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of cloud.list(signal)) break;
  } catch (error) {
    if (!isOpenStackError(error, 'forbidden')) throw error;
    throw new CommandError(`the user of cloud "${name}" cannot list the servers of all projects: ${error.message}`, {
      advice:
        'name an entry of clouds.yaml whose user has the role admin: only an administrator can read the user data of nodes',
      cause: error,
    });
  }
}
