import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { FolderDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import type { Transport } from '@fairway/kube/client/transport';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { NO_LATENCY, REALISTIC_LATENCY } from '@fairway/simulator/http/latency';
import { openCloud, readCloudsYaml } from './clouds.ts';
import type { Home } from './home.ts';

export interface SimulatedCloudOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly latency: 'none' | 'realistic';
  /** How hollow nodes reach their API servers; over TLS by default. */
  readonly connect?: ((options: HttpsTransportOptions) => Transport) | undefined;
}

export interface SimulatedCloud {
  readonly cloud: Cloud;
  /** Boots hollow nodes for the cloud's servers; their control planes must be starting. */
  startNodes(): void;
  close(): Promise<void>;
}

/** The clouds.yaml entry for a member of the first project. */
const DEMO_ENTRY = 'simulator';
/** The clouds.yaml entry whose user sees all projects; hollow nodes use it to read the cloud. */
const ADMIN_ENTRY = 'simulator-admin';

/** A simulated OpenStack over HTTP on loopback, whose servers boot as hollow nodes; its state and port are stored in the home. */
export async function startSimulatedCloud(options: SimulatedCloudOptions): Promise<SimulatedCloud> {
  const { home, clock, random, log, latency, connect } = options;
  const profile = latency === 'realistic' ? REALISTIC_LATENCY : NO_LATENCY;
  const cloud = createCloud({ clock, random, log, config: { stateFile: home.simulatorState, latency: profile } });
  const port = savedPort(home);
  const origin = await cloud.listen({ host: '127.0.0.1', port }).catch(async (error: NodeJS.ErrnoException) => {
    if (port === 0 || error.code !== 'EADDRINUSE') throw error;
    return cloud.listen({ host: '127.0.0.1', port: 0 });
  });
  home.write(home.ports, JSON.stringify({ simulator: Number(new URL(origin).port) }));
  home.write(home.cloudsYaml, cloud.cloudsYaml());
  const { credential } = readCloudsYaml(home.cloudsYaml).get(DEMO_ENTRY);
  if (credential.kind === 'password') home.write(home.demoPassword, `${credential.password}\n`);
  return bootHollowNodes(cloud, { home, clock, random, log, connect });
}

/** Boots hollow nodes for the servers of a listening cloud whose clouds.yaml is in the home. */
export function bootHollowNodes(
  cloud: Cloud,
  { home, clock, random, log, connect }: Omit<SimulatedCloudOptions, 'latency'>,
): SimulatedCloud {
  const admin = openCloud(readCloudsYaml(home.cloudsYaml), ADMIN_ENTRY, { clock, random, log });
  const fleet = new HollowNodeFleet({
    cloud: openStackFleetCloud(admin.client()),
    disks: new FolderDisks(home.nodes),
    clock,
    random,
    log,
    ...(connect && { createTransport: connect }),
    hasPanicked: (serverId) => cloud.hasPanicked(serverId),
  });
  const unsubscribe = [cloud.onServerActive(() => fleet.poke()), cloud.onServerDown(() => fleet.poke())];
  return {
    cloud,
    startNodes: () => fleet.start(),
    async close() {
      for (const stopFleet of unsubscribe) stopFleet();
      await fleet.stop();
      await admin.close();
      await cloud.close();
    },
  };
}

function savedPort(home: Home): number {
  try {
    const { simulator } = JSON.parse(home.read(home.ports) ?? '{}') as { simulator?: number };
    return simulator ?? 0;
  } catch {
    return 0;
  }
}
