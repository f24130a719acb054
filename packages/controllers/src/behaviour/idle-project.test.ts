import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { clusterTag, machineTag } from '@fairway/tenancy/cloud/ownership';
import { DEFAULT_SETTLE_MS } from '@fairway/tenancy/cloud/project-cloud';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a real cluster's control plane waits for a kubelet's reports, plus the interval at which it checks. */
const GRACE_MS = 55_000;

/** Clusters in one project, as created by `fairway up`, an hour after all of them became Ready. */
async function startIdle({ clusterCount = 1 } = {}) {
  const clock = new SteppingClock();
  const random = seededRandom(4_242);
  const fairway = await TestFairway.start({
    clock,
    random,
    settleMs: DEFAULT_SETTLE_MS,
    idleMs: 5 * MINUTE_MS,
  });
  const first = await clock.during(fairway.readyCluster({ replicas: 2, healing: { enabled: false } }));
  for (let number = 1; number < clusterCount; number++) {
    const name = `demo-${number}`;
    await clock.during(fairway.createCluster({}, name));
    await clock.during(fairway.createPool({ clusterName: name, replicas: 2 }, name));
    await clock.during(fairway.clusterReady(name));
    // The clusters are created one after another.
    await clock.pass(MINUTE_MS);
  }
  await clock.pass(HOUR_MS);
  const { client } = fairway.process.project;
  const nodes = () => fairway.runtime.client(identityOf(first)).resource(tenantNodes);
  const say = async (name: string, status: 'True' | 'Unknown') => {
    const conditions = [
      { type: 'Ready', status, reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
    ];
    const change = { type: 'merge', value: { status: { conditions } } } as const;
    await clock.during(nodes().patch(name, change, { subresource: 'status' }));
  };
  const machines = async () => (await fairway.machines()).filter(({ spec }) => spec.clusterName === 'demo');
  const network = async () =>
    (await fairway.client.resource(clusters).get('demo', { namespace: TEAM })).status?.network ?? {};
  return {
    fairway,
    clock,
    client,
    machines,
    network,
    say,
    sayAll: async (status: 'True' | 'Unknown') => {
      for (const { metadata } of await machines()) await say(metadata.name ?? '', status);
    },
    callsOf: async (durationMs: number) => {
      fairway.cloud.calls.reset();
      await clock.pass(durationMs);
      const counts = fairway.cloud.calls
        .counts()
        .map(({ method, template, count }) => [`${method} ${template}`, count]);
      return { total: fairway.cloud.calls.total, by: Object.fromEntries(counts) as Record<string, number> };
    },
    /** How long it takes until the condition is met, in ms. */
    timeUntil: async (isReached: () => Promise<boolean>, limitMs = HOUR_MS) => {
      const beganMs = clock.now();
      while (!(await clock.during(isReached()))) {
        if (clock.now() - beganMs > limitMs) return Number.POSITIVE_INFINITY;
        await clock.pass(1_000);
      }
      return clock.now() - beganMs;
    },
  };
}

const serverReason = ({ status }: Machine) => findCondition(status?.conditions, 'ServerReady')?.reason;

describe('an idle project', () => {
  test.each([{ clusterCount: 1 }, { clusterCount: 5 }])(
    'costs at most 1.2 calls a minute with $clusterCount clusters',
    async ({ clusterCount }) => {
      const { fairway, callsOf } = await startIdle({ clusterCount });
      await using _ = fairway;

      const { total, by } = await callsOf(6 * HOUR_MS);

      process.stdout.write(
        `${clusterCount} clusters: ${(total / 360).toFixed(2)} calls a minute ${JSON.stringify(by)}\n`,
      );
      expect(total / 360).toBeLessThanOrEqual(1.2);
      expect(by['GET /v2.1/servers/detail']).toBeLessThanOrEqual(6 * 13);
    },
  );

  test('lists its servers every minute while a node does not report, and stops afterwards', async () => {
    const { fairway, callsOf, machines, say } = await startIdle();
    await using _ = fairway;
    const name = (await machines())[0]?.metadata.name ?? '';
    await say(name, 'Unknown');
    const lost = await callsOf(HOUR_MS);
    await say(name, 'True');
    const callsAfterWaking = await callsOf(HOUR_MS);

    expect(lost.by['GET /v2.1/servers/detail']).toBeGreaterThanOrEqual(57);
    expect(lost.by['GET /v2.1/servers/detail']).toBeLessThanOrEqual(66);
    expect(callsAfterWaking.by['GET /v2.1/servers/detail']).toBeLessThanOrEqual(15);
  });

  test('costs a few calls a minute if a node flaps', async () => {
    const { fairway, clock, machines, say } = await startIdle();
    await using _ = fairway;
    const name = (await machines())[0]?.metadata.name ?? '';
    fairway.cloud.calls.reset();
    for (let turn = 0; turn < 180; turn++) {
      await say(name, turn % 2 === 0 ? 'Unknown' : 'True');
      await clock.pass(10_000);
    }

    expect(fairway.cloud.calls.total / 30).toBeLessThanOrEqual(5);
  });
});

describe('an idle pool that grows, four minutes after the last list', () => {
  test.each([
    {
      what: 'the connection breaks after the server is created',
      action: { kind: 'drop', when: 'after' },
      isKilled: false,
    },
    { what: 'the response takes more than a minute', action: { kind: 'delay', delayMs: 90_000 }, isKilled: false },
    { what: 'the process is killed before the response', action: { kind: 'delay', delayMs: 5_000 }, isKilled: true },
  ] as const)('has exactly one server for each machine even though $what', async ({ action, isKilled }) => {
    const { fairway, clock, client, machines } = await startIdle();
    await using _ = fairway;
    const { servers } = fairway.process.project.cache;
    const { listedAtMs } = servers.snapshot();
    while (servers.snapshot().listedAtMs === listedAtMs) await clock.pass(1_000);
    await clock.pass(4 * MINUTE_MS);
    fairway.cloud.faults.add({ service: 'compute', method: 'POST', path: '/servers$', action });

    await clock.during(fairway.patch(nodePools, 'general', { spec: { replicas: 3 } }));
    if (isKilled) {
      await clock.pass(2_000);
      await clock.during(fairway.stopProcess());
      await clock.during(fairway.startProcess());
    }
    await clock.pass(10 * MINUTE_MS);
    const listedServers = await clock.during(Array.fromAsync(client.compute.servers.list()));
    const held = (await machines()).map(({ status }) => status?.serverID);

    expect(listedServers).toHaveLength(3);
    expect(new Set(held)).toEqual(new Set(listedServers.map(({ id }) => id)));
  });
});

describe('an idle cluster that is deleted', () => {
  test.each([
    { whose: 'with machines', hasMachines: true },
    { whose: 'without machines', hasMachines: false },
  ])('$whose: a surplus server with its tags is also deleted within 90 seconds', async ({ hasMachines }) => {
    const { fairway, clock, client, machines, network, timeUntil } = await startIdle();
    await using _ = fairway;
    const { metadata } = await clock.during(fairway.client.resource(clusters).get('demo', { namespace: TEAM }));
    if (!hasMachines) {
      await clock.during(fairway.client.resource(nodePools).delete('general', { namespace: TEAM }));
      await timeUntil(async () => (await machines()).length === 0);
      await clock.pass(HOUR_MS);
    }
    const { flavors, images } = fairway.process.project.cache;
    const [{ id: flavorRef = '' } = {}] = flavors.snapshot().items.values();
    const [{ id: imageRef = '' } = {}] = images.snapshot().items.values();
    const { networkID = '' } = await network();
    const tags = ['fairway', clusterTag(metadata.uid ?? ''), machineTag('gone')];
    const late = { name: 'late', flavorRef, imageRef, networks: [{ uuid: networkID }], tags };
    await clock.during(client.compute.servers.create(late));
    await clock.during(fairway.client.resource(clusters).delete('demo', { namespace: TEAM }));

    const tookMs = await timeUntil(async () => {
      const { items } = await fairway.client.resource(clusters).list({ namespace: TEAM });
      return items.length === 0;
    });
    const left = await clock.during(Array.fromAsync(client.compute.servers.list()));

    expect(tookMs).toBeLessThanOrEqual(90_000);
    expect(left).toEqual([]);
  });
});

describe('a change in an idle project’s cloud', () => {
  test.each([
    { what: 'deletes a server', status: 'ServerVanished', isDeleted: true },
    { what: 'stops a server', status: 'ServerStopped', isDeleted: false },
  ])('$what: reported within 15 s of its node’s last report', async ({ status, isDeleted }) => {
    const { fairway, clock, client, machines, say, timeUntil } = await startIdle();
    await using _ = fairway;
    const [victim] = await machines();
    const { servers } = client.compute;
    const id = victim?.status?.serverID ?? '';
    await clock.during(isDeleted ? servers.delete(id) : servers.stop(id));
    await clock.pass(GRACE_MS);
    await say(victim?.metadata.name ?? '', 'Unknown');

    const tookMs = await timeUntil(async () => (await machines()).some((machine) => serverReason(machine) === status));

    expect(tookMs).toBeLessThanOrEqual(15_000);
  });

  test('stops a server whose node continues to report: reported within five and a half minutes', async () => {
    const { fairway, clock, client, machines, timeUntil } = await startIdle();
    await using _ = fairway;
    const [victim] = await machines();
    await clock.during(client.compute.servers.stop(victim?.status?.serverID ?? ''));

    const tookMs = await timeUntil(async () =>
      (await machines()).some((each) => serverReason(each) === 'ServerStopped'),
    );

    expect(tookMs).toBeLessThanOrEqual(330_000);
    expect(tookMs).toBeGreaterThan(0);
  });

  test.each([
    { whose: 'whose nodes are cut off by it', isCutOff: true, withinMs: 15_000 },
    { whose: 'whose nodes still report', isCutOff: false, withinMs: 21 * MINUTE_MS },
  ])('deletes the router of a cluster $whose: recreated within $withinMs ms', async ({ isCutOff, withinMs }) => {
    const { fairway, clock, client, network, sayAll, timeUntil } = await startIdle();
    await using _ = fairway;
    const { routerID = '', subnetID = '' } = await network();
    await clock.during(client.network.routers.removeInterface(routerID, { subnet_id: subnetID }));
    await clock.during(client.network.routers.delete(routerID));
    await clock.pass(GRACE_MS);
    if (isCutOff) await sayAll('Unknown');

    const tookMs = await timeUntil(async () => {
      const { routerID: now } = await network();
      return now !== undefined && now !== routerID;
    });

    expect(tookMs).toBeLessThanOrEqual(withinMs);
  });

  test('deletes the security group of one cluster while another is next to be checked: recreated within 21 minutes', async () => {
    const { fairway, clock, client, network, timeUntil } = await startIdle({ clusterCount: 3 });
    await using _ = fairway;
    const { securityGroupID = '' } = await network();
    for (const port of await clock.during(Array.fromAsync(client.network.ports.list()))) {
      if (port.security_groups.includes(securityGroupID)) await clock.during(client.network.ports.delete(port.id));
    }
    await clock.during(client.network.securityGroups.delete(securityGroupID));

    const tookMs = await timeUntil(async () => {
      const { securityGroupID: now } = await network();
      return now !== undefined && now !== securityGroupID;
    });

    expect(tookMs).toBeLessThanOrEqual(21 * MINUTE_MS);
  });

  test('stops all responses: reported within five and a half minutes', async () => {
    const { fairway, clock, timeUntil } = await startIdle();
    await using _ = fairway;
    fairway.cloud.faults.add({ times: null, action: { kind: 'answer', status: 503 } });
    await clock.pass(0);

    const tookMs = await timeUntil(async () => {
      const { status } = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
      return findCondition(status?.conditions, 'CloudReachable')?.status === 'False';
    });

    expect(tookMs).toBeLessThanOrEqual(330_000);
  });
});
