import { HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { FolderDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { createLogger, type LogLevel } from '@fairway/service/logger';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { homePath } from '../client/choose-kubeconfig.ts';
import type { CliContext } from '../command/context.ts';

interface HollowNodesOptions {
  readonly cloud: string;
  readonly state?: string;
  readonly logLevel: LogLevel;
}

/** Joins every server of a cloud that does not boot servers, as a node would that booted from the server's user data. */
export async function runHollowNodes(context: CliContext, options: HollowNodesOptions): Promise<void> {
  const { clock, signal, stderr, env, cwd } = context;
  const log = createLogger(options.logLevel);
  const cloud = openCloud(readCloudsYaml(), options.cloud, { clock, random: Math.random, log });
  try {
    const client = cloud.client();
    // Wrong credentials are reported immediately, instead of repeatedly in a log.
    await client.session.token();
    const fleet = new HollowNodeFleet({
      cloud: openStackFleetCloud(client),
      disks: new FolderDisks(options.state ?? new Home(homePath(undefined, env, cwd)).nodes),
      clock,
      random: Math.random,
      log,
    });
    fleet.start();
    stderr.write(`the servers of cloud ${options.cloud} join as hollow nodes; stop with Ctrl-C\n`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await fleet.stop();
  } finally {
    await cloud.close();
  }
}
