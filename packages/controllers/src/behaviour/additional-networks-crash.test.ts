import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { Crash } from '../testing/crash.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function start(options: Partial<TestFairwayOptions> = {}) {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, ...options });
  const { network } = fairway.process.project.client;
  const networks: { networkID: string }[] = [];
  for (const cidr of ['10.60.0.0/24', '10.61.0.0/24']) {
    const { id } = await network.networks.create({ name: 'data' });
    await network.subnets.create({ name: 'data', network_id: id, ip_version: 4, cidr });
    networks.push({ networkID: id });
  }
  const before = resourceCounts(fairway.cloud);
  await clock.during(fairway.readyCluster({ replicas: 0, networks }));
  const portsOf = async () => {
    const ports = await Array.fromAsync(fairway.process.project.client.network.ports.list());
    return networks.map(({ networkID }) => ports.filter(({ network_id }) => network_id === networkID));
  };
  return { fairway, clock, networks, before, portsOf };
}

describe('a process that dies after any port or server call', () => {
  test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    'neither duplicates nor leaks ports of additional networks: call %d',
    async (nth) => {
      const crash = new Crash(/\/(ports|servers)(\/|\?|$)/);
      const { fairway, clock, before, portsOf } = await start(crash.options);
      await using _ = fairway;
      const hasCrashed = async () => {
        crash.afterCalls(nth);
        await clock.pass(5 * MINUTE_MS);
        const hasOccurred = crash.hasOccurred;
        await clock.during(fairway.stopProcess());
        crash.end();
        await clock.during(fairway.startProcess());
        return hasOccurred;
      };

      await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
      const isDead = await hasCrashed();
      await clock.during(fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 2));
      const ports = await portsOf();
      await fairway.delete(clusters, 'demo');
      await hasCrashed();
      await clock.during(fairway.until(clusters, (left) => left.length === 0));

      expect(isDead).toBe(true);
      expect(ports.map((each) => each.length)).toEqual([2, 2]);
      expect(ports.flat().every(({ device_id }) => device_id !== '')).toBe(true);
      expect(resourceCounts(fairway.cloud)).toEqual(before);
    },
  );
});

test('deletes a port that was created late in an additional network, even though no pool lists it', async () => {
  const { fairway, clock, networks, portsOf } = await start();
  await using _ = fairway;
  const [cluster] = await fairway.until(clusters, ([each]) => each !== undefined);
  const networkID = networks[0]?.networkID ?? '';
  const description = ownerDescription(cluster?.metadata.uid ?? '', `port-gone/${networkID}`);
  await fairway.process.project.client.network.ports.create({ network_id: networkID, description });
  await fairway.patch(nodePools, 'general', { spec: { networks: null } });

  await clock.pass(2 * HOUR_MS);

  expect(await portsOf()).toEqual([[], []]);
});

test('additional networks cost no calls while idle', async () => {
  const callsOf = async (isConnected: boolean) => {
    const clock = new SteppingClock();
    const fairway = await TestFairway.start({ clock, random: seededRandom(4_242) });
    await using _ = fairway;
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'data' });
    await network.subnets.create({ name: 'data', network_id: networkID, ip_version: 4, cidr: '10.60.0.0/24' });
    await clock.during(fairway.readyCluster({ replicas: 2, ...(isConnected && { networks: [{ networkID }] }) }));
    await clock.pass(HOUR_MS);
    fairway.cloud.calls.reset();
    await clock.pass(6 * HOUR_MS);
    return fairway.cloud.calls.total;
  };

  const without = await callsOf(false);

  // The times when lists are requested vary by a few seconds.
  expect(Math.abs((await callsOf(true)) - without)).toBeLessThanOrEqual(3);
});
