import { setTimeout as sleep } from 'node:timers/promises';
import { CsiClient } from '../tests/csi-sanity/csi-client.ts';
import type { DriverProcess } from '../tests/csi-sanity/driver-process.ts';
import { SanityPlace } from '../tests/csi-sanity/sanity-place.ts';
import { upstreamProgram } from '../tests/upstream-cloud-provider/binaries.ts';
import { openSimulatedCloud, type SimulatedCloud } from '../tests/upstream-cloud-provider/simulated-cloud.ts';
import { type Figure, formatFigures } from './figures.ts';
import { usageOf } from './process-usage.ts';

const MIB = 1024 * 1024;
const BATCH_SIZE = 20;
/** Durations in a typical cloud. */
const LIFECYCLE_MS = {
  createVolume: 2_000,
  deleteVolume: 1_000,
  attachVolume: 3_000,
  detachVolume: 3_000,
  extendVolume: 1_500,
  createSnapshot: 1_500,
  deleteSnapshot: 1_000,
};
/** After this time, a new process sees the results of all requests from its predecessor. */
const SETTLE_MS = 11_000;
/** Warm-up, in which Fairway learns the cloud's pace. */
const WARM_UP_ROUNDS = 3;
const SANITY_TITLE = 'csi-sanity, on a cloud that takes no time';

interface Cost {
  readonly calls: number;
  readonly seconds: number;
}

interface Sanity extends Cost {
  readonly failed: readonly string[];
}

interface Run {
  readonly costs: ReadonlyMap<string, Cost>;
  readonly sanity: Sanity;
  /** CPU time, excluding startup time. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

type Start = (place: SanityPlace) => Promise<DriverProcess>;

/** The Cinder CSI driver's controller: Fairway compared with upstream, as separate processes on separate simulated clouds. */
export async function benchCsi(print: (text: string) => void): Promise<void> {
  if (upstreamProgram('csi-sanity') === undefined) {
    print('csi-sanity is not built: "testbed/cloud-provider-openstack/testbed build" makes it\n');
    return;
  }
  const binary = upstreamProgram('cinder-csi-plugin');
  if (binary === undefined) {
    print('upstream is not built: "testbed/cloud-provider-openstack/testbed build" makes it\n');
  }
  const own = await measureDriver((place) => place.fairway(), 'Fairway', print);
  const peer =
    binary === undefined ? undefined : await measureDriver((place) => place.upstream(binary), 'upstream', print);
  const costs = [...own.costs, [SANITY_TITLE, own.sanity] as const].flatMap(([name, { calls, seconds }]): Figure[] => {
    const other = name === SANITY_TITLE ? peer?.sanity : peer?.costs.get(name);
    return [
      { name, unit: 'calls', value: calls, peer: other?.calls },
      { name, unit: 's', value: seconds, peer: other?.seconds },
    ];
  });
  const figures: readonly Figure[] = [
    ...costs,
    {
      name: `${SANITY_TITLE}: specs that fail`,
      unit: '',
      value: own.sanity.failed.length,
      peer: peer?.sanity.failed.length,
      goal: { kind: 'at-most', value: 0 },
    },
    { name: 'CPU for all but that', unit: 's', value: own.cpuMs / 1000, peer: peer && peer.cpuMs / 1000 },
    { name: 'memory after that', unit: 'MiB', value: own.rssBytes / MIB, peer: peer && peer.rssBytes / MIB },
  ];
  print(formatFigures('CSI controllers', figures, peer && 'upstream'));
}

async function measureDriver(start: Start, name: string, print: (text: string) => void): Promise<Run> {
  const run = await withDriver(start, LIFECYCLE_MS, async (driver, place, simulated) => {
    const client = new CsiClient(place.socket);
    const usageBefore = usageOf([driver.pid]);
    const costs = new Map<string, Cost>();
    const measure = async (operation: string, work: () => Promise<unknown>) => {
      const cost = await costOf(simulated, work);
      costs.set(operation, cost);
      print(`${name}: ${operation}: ${cost.calls} calls, ${cost.seconds.toFixed(1)} s`);
    };
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      await runVolumeLifecycle(client, place.server.id, `first-${round}`, async (_, work) => void (await work()));
    }
    await runVolumeLifecycle(client, place.server.id, 'one', measure);
    await runVolumeBatch(client, place.server.id, measure);
    await measure('ListVolumes', () => client.listVolumes());
    client.close();
    const { cpuMs, rssBytes } = usageOf([driver.pid]);
    return { costs, cpuMs: cpuMs - usageBefore.cpuMs, rssBytes };
  });
  const sanity = await withDriver(start, {}, async (_, place, simulated) => {
    const failed: string[] = [];
    const cost = await costOf(simulated, async () => {
      const specs = await place.run();
      failed.push(...specs.filter(({ state }) => state !== 'passed' && state !== 'skipped').map((spec) => spec.name));
    });
    return { ...cost, failed };
  });
  for (const spec of sanity.failed) print(`${name}: failed: ${spec}`);
  return { ...run, sanity };
}

async function withDriver<T>(
  start: Start,
  lifecycleMs: Partial<typeof LIFECYCLE_MS>,
  use: (driver: DriverProcess, place: SanityPlace, simulated: SimulatedCloud) => Promise<T>,
): Promise<T> {
  const simulated = await openSimulatedCloud({ createMs: 0, updateMs: 0 }, lifecycleMs);
  const { cloudsYaml } = simulated;
  const place = await SanityPlace.open({ cloudsYaml, member: 'simulator', image: 'Ubuntu 22.04', flavor: 'b3-8' });
  const driver = await start(place);
  try {
    await sleep(SETTLE_MS);
    return await use(driver, place, simulated);
  } finally {
    await driver.stop();
    await place.close();
    await simulated.close();
  }
}

async function costOf(simulated: SimulatedCloud, work: () => Promise<unknown>): Promise<Cost> {
  const [before, beginMs] = [callsOf(simulated), performance.now()];
  await work();
  return { calls: callsOf(simulated) - before, seconds: (performance.now() - beginMs) / 1000 };
}

type Measure = (operation: string, work: () => Promise<unknown>) => Promise<void>;

async function runVolumeLifecycle(client: CsiClient, node: string, name: string, measure: Measure): Promise<void> {
  let id = '';
  await measure('a volume made and attached', async () => {
    id = await client.createVolume(name);
    await client.publish(id, node);
  });
  await measure('extended', () => client.expand(id));
  await measure('detached', () => client.unpublish(id, node));
  await measure('deleted', () => client.deleteVolume(id));
}

async function runVolumeBatch(client: CsiClient, node: string, measure: Measure): Promise<void> {
  const names = Array.from({ length: BATCH_SIZE }, (_, index) => `many-${index}`);
  let ids: readonly string[] = [];
  await measure(`${BATCH_SIZE} volumes made and attached at once`, async () => {
    ids = await Promise.all(
      names.map(async (each) => {
        const id = await client.createVolume(each);
        await client.publish(id, node);
        return id;
      }),
    );
  });
  await measure(`${BATCH_SIZE} detached and deleted at once`, () =>
    Promise.all(
      ids.map(async (id) => {
        await client.unpublish(id, node);
        await client.deleteVolume(id);
      }),
    ),
  );
}

/** Counts the driver's calls. */
function callsOf({ cloud }: SimulatedCloud): number {
  const own = cloud.calls.counts().filter(({ userAgent }) => /csi/.test(userAgent));
  return own.reduce((sum, { count }) => sum + count, 0);
}
