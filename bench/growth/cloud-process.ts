import { writeFileSync } from 'node:fs';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { createCloud } from '@fairway/simulator/cloud';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { projectName } from './projects.ts';
import { streamServers } from './server-stream.ts';

const NO_LIMIT = -1;
/** Enough hypervisors for 20,000 servers of any flavor in the benchmark. */
const HOSTS_PER_ZONE = 200;

/**
 * A simulated cloud in a separate process. Its arguments are the clouds.yaml to write, the Unix socket for server
 * changes, and the number of projects.
 */
async function main(cloudsYaml: string, socket: string, projects: number): Promise<void> {
  const entries = Array.from({ length: projects }, (_, index) => {
    const entry = projectName(index);
    return { entry, user: entry, project: entry, role: 'member' } as const;
  });
  const cloud = createCloud({
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    config: {
      entries: [...DEFAULT_CONFIG.entries, ...entries],
      zones: DEFAULT_CONFIG.zones.map((zone) => ({ ...zone, hosts: HOSTS_PER_ZONE })),
      quotas: {
        ...DEFAULT_CONFIG.quotas,
        compute: mapLimits(DEFAULT_CONFIG.quotas.compute),
        network: mapLimits(DEFAULT_CONFIG.quotas.network),
      },
      externalNetwork: {
        name: 'public',
        cidr: '198.18.0.0/15',
        gatewayIp: '198.18.0.1',
        allocationPool: { start: '198.18.0.10', end: '198.19.255.250' },
      },
    },
  });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  writeFileSync(cloudsYaml, cloud.cloudsYaml());
  await streamServers(cloud, socket);
  process.send?.('ready');
}

function mapLimits(limits: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.keys(limits).map((resource) => [resource, NO_LIMIT]));
}

await main(process.argv[2] ?? '', process.argv[3] ?? '', Number(process.argv[4]));
