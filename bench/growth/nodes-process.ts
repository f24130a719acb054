import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { type FleetCloud, HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';

const PARTS = { clock: systemClock, random: Math.random, log: silentLogger };
/** Between two lists of all servers, of which there are thousands. */
const LIST_PERIOD_MS = 2_000;

/** Joins its share of a cloud's servers as hollow nodes; arguments are the clouds.yaml, its number, and how many there are. */
function main(cloudsYaml: string, index: number, count: number): void {
  const administrator = openCloud(readCloudsYaml(cloudsYaml), 'simulator-admin', PARTS);
  const all = openStackFleetCloud(administrator.client());
  const fleet = new HollowNodeFleet({
    ...PARTS,
    cloud: { ...all, list: (signal) => shareOf(all, { index, count, signal }) },
    disks: new MemoryDisks(),
    idlePeriodMs: LIST_PERIOD_MS,
    busyPeriodMs: LIST_PERIOD_MS,
  });
  fleet.start();
  // Its timers alone keep no process alive.
  process.channel?.ref();
  process.send?.('ready');
}

async function* shareOf(
  cloud: FleetCloud,
  { index, count, signal }: { readonly index: number; readonly count: number; readonly signal: AbortSignal },
): ReturnType<FleetCloud['list']> & AsyncGenerator {
  for await (const server of cloud.list(signal)) {
    if (Number.parseInt(server.id.slice(0, 8), 16) % count === index) yield server;
  }
}

main(process.argv[2] ?? '', Number(process.argv[3]), Number(process.argv[4]));
