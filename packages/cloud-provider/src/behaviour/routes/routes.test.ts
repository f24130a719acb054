import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { isReady, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Namespaces } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { createCloudProvider } from '../../start.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A cluster with two nodes that have pod CIDRs from their control plane. */
async function start(podRoutes: 'Router' | 'None' = 'Router') {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, runnables: (parts) => createCloudProvider(parts) });
  const cluster = await fairway.createCluster({ cni: { type: 'none' }, network: { podRoutes } });
  await fairway.createPool({ replicas: 2, healing: { enabled: false } });
  const isUp = (all: readonly Machine[]) => all.length === 2 && all.every(isReady);
  await clock.during(fairway.until(machines, isUp));
  const tenant = fairway.runtime.client(identityOf(cluster));
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  const nodes = tenant.resource(tenantNodes);
  const { network } = fairway.process.project.client;
  const routerOf = async () => {
    const { items } = await fairway.client.resource(clusters).list({});
    return items[0]?.status?.network?.routerID ?? '';
  };
  const routerID = await routerOf();
  const all = await fairway.machines();
  const [a, b] = all.map(({ metadata, status }) => ({
    name: metadata.name ?? '',
    address: status?.address ?? '',
    serverID: status?.serverID ?? '',
  })) as [RoutedMachine, RoutedMachine];
  const assign = (name: string, podCIDR: string) =>
    nodes.patch(name, { type: 'merge', value: { spec: { podCIDR, podCIDRs: [podCIDR] } } });
  return {
    fairway,
    clock,
    nodes,
    network,
    routerID,
    a,
    b,
    assign,
    routes: async () => (await network.routers.get(routerID)).routes,
    pairsOf: async ({ serverID }: RoutedMachine) => {
      const found = [];
      for await (const port of network.ports.list({ device_id: serverID })) found.push(...port.allowed_address_pairs);
      return found.map(({ ip_address }) => ip_address);
    },
    conditionOf: async ({ name }: RoutedMachine) => {
      const { status } = await nodes.get(name);
      return findCondition((status?.conditions ?? []) as Parameters<typeof findCondition>[0], 'NetworkUnavailable');
    },
    reasons: async () =>
      (await tenant.resource(Events).list({ namespace: 'default' })).items.map(({ reason }) => reason),
    callsOf: async (durationMs: number) => {
      const now = () => {
        const counts = fairway.cloud.calls.counts();
        const sum = (matching: (call: (typeof counts)[number]) => boolean) =>
          counts.filter((call) => call.service === 'network' && matching(call)).reduce((n, { count }) => n + count, 0);
        return {
          puts: sum(({ method }) => method === 'PUT'),
          routers: sum(({ method, template }) => method === 'GET' && template === '/v2.0/routers'),
          ports: sum(({ method, template }) => method === 'GET' && template === '/v2.0/ports'),
        };
      };
      const before = now();
      await clock.pass(durationMs);
      const after = now();
      return {
        puts: after.puts - before.puts,
        routers: after.routers - before.routers,
        ports: after.ports - before.ports,
      };
    },
    [Symbol.asyncDispose]: () => fairway[Symbol.asyncDispose](),
  };
}

interface RoutedMachine {
  readonly name: string;
  readonly address: string;
  readonly serverID: string;
}

async function startRouted() {
  const t = await start();
  await t.assign(t.a.name, '10.2.0.0/24');
  await t.assign(t.b.name, '10.2.1.0/24');
  await t.clock.pass(2 * MINUTE_MS);
  return t;
}

const routeTo = ({ address }: RoutedMachine, destination: string) => ({ destination, nexthop: address });

describe('a cluster with pod routes on its router', () => {
  test('has a route to each node, whose port allows traffic from pods and whose condition reports the route', async () => {
    await using t = await startRouted();

    expect(await t.routes()).toEqual(
      expect.arrayContaining([routeTo(t.a, '10.2.0.0/24'), routeTo(t.b, '10.2.1.0/24')]),
    );
    expect(await t.routes()).toHaveLength(2);
    expect([await t.pairsOf(t.a), await t.pairsOf(t.b)]).toEqual([['10.2.0.0/24'], ['10.2.1.0/24']]);
    expect(await t.conditionOf(t.a)).toMatchObject({ status: 'False', reason: 'RouteCreated' });
  });

  test('has no route to a deleted node', async () => {
    await using t = await startRouted();
    await t.nodes.delete(t.a.name);
    await t.clock.pass(MINUTE_MS);

    expect(await t.routes()).toEqual([routeTo(t.b, '10.2.1.0/24')]);
  });

  test('has a removed route restored and an extra one removed within two minutes; foreign routes stay', async () => {
    await using t = await startRouted();
    const foreignRoute = { destination: '192.168.77.0/24', nexthop: t.b.address };
    const overlappingRoute = { destination: '10.2.0.0/25', nexthop: t.b.address };
    await t.network.routers.update(t.routerID, {
      routes: [foreignRoute, overlappingRoute, routeTo(t.b, '10.2.1.0/24')],
    });
    await t.clock.pass(2 * MINUTE_MS);

    expect(await t.routes()).toHaveLength(3);
    expect(await t.routes()).toEqual(expect.arrayContaining([foreignRoute, routeTo(t.a, '10.2.0.0/24')]));
  });

  test('costs two list calls a minute and no writes while idle', async () => {
    await using t = await startRouted();
    await t.clock.pass(5 * MINUTE_MS);
    const { resourceVersion } = (await t.nodes.get(t.a.name)).metadata;
    const rest = await t.callsOf(30 * MINUTE_MS);

    expect(rest.puts).toBe(0);
    expect(rest.routers).toBeLessThanOrEqual(31 + 4);
    // In addition, the cluster's network is checked every ten minutes.
    expect(rest.ports).toBeLessThanOrEqual(31 + 4);
    expect((await t.nodes.get(t.a.name)).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('reports that a node has no route if the router is full, and adds the route once there is room', async () => {
    await using t = await start();
    const others = Array.from({ length: 29 }, (_, n) => ({ destination: `172.20.${n}.0/24`, nexthop: t.b.address }));
    await t.network.routers.update(t.routerID, { routes: others });
    await t.assign(t.a.name, '10.2.0.0/24');
    await t.assign(t.b.name, '10.2.1.0/24');
    await t.clock.pass(5 * MINUTE_MS);
    const full = await Promise.all([t.conditionOf(t.a), t.conditionOf(t.b)]);
    const routed = full.filter((condition) => condition?.status === 'False');
    const [unrouted] = full.filter((condition) => condition?.status === 'True');
    const callsInAnHour = await t.callsOf(HOUR_MS);
    await t.network.routers.update(t.routerID, { routes: [] });
    await t.clock.pass(6 * MINUTE_MS);

    expect(routed).toHaveLength(1);
    expect(unrouted).toMatchObject({
      reason: 'NoRouteCreated',
      message: expect.stringMatching(/maximum 30; ask the cloud operator to raise max_routes/),
    });
    expect(callsInAnHour.puts).toBeLessThanOrEqual(3 * 15);
    expect(await t.reasons()).toContain('FailedToCreateRoute');
    expect(await t.routes()).toHaveLength(2);
    expect((await t.conditionOf(t.a))?.status).toBe('False');
    expect((await t.conditionOf(t.b))?.status).toBe('False');
  });

  test.each([500, 403, 429])(
    'causes few calls while the cloud responds with %i for an hour, and gets its routes afterwards',
    async (status) => {
      await using t = await start();
      const fault: FaultInput = {
        service: 'network',
        method: 'PUT',
        path: '/routers/',
        times: null,
        action: { kind: 'answer', status },
      };
      const id = t.fairway.cloud.faults.add(fault);
      await t.assign(t.a.name, '10.2.0.0/24');
      await t.clock.pass(5 * MINUTE_MS);
      const { resourceVersion } = (await t.nodes.get(t.a.name)).metadata;
      const callsInAnHour = await t.callsOf(HOUR_MS);
      const reported = await t.nodes.get(t.a.name);
      t.fairway.cloud.faults.remove(id);
      await t.clock.pass(6 * MINUTE_MS);

      // One attempt here may involve several attempts by the client.
      expect(callsInAnHour.puts).toBeLessThanOrEqual(15 * 5);
      expect(reported.metadata.resourceVersion).toBe(resourceVersion);
      expect(await t.routes()).toEqual([routeTo(t.a, '10.2.0.0/24')]);
    },
  );

  test('has no routes while it is being emptied for a reset', async () => {
    await using t = await startRouted();
    const before = await t.routes();
    const reset = { requestedAt: new Date(t.clock.now()).toISOString(), confirm: 'demo' };
    await t.fairway.patch(clusters, 'demo', { spec: { reset } });
    await t.clock.during(t.fairway.until(clusters, ([cluster]) => cluster?.status?.reset?.phase === 'Complete'));
    await t.clock.pass(MINUTE_MS);

    expect(before).toHaveLength(2);
    expect(await t.routes()).toEqual([]);
  });

  test('has the same routes, without duplicates, after the process is killed', async () => {
    await using t = await startRouted();
    const before = await t.routes();
    await t.fairway.stopProcess();
    await t.nodes.delete(t.a.name);
    await t.fairway.startProcess();
    await t.clock.pass(2 * MINUTE_MS);

    expect(before).toHaveLength(2);
    expect(await t.routes()).toEqual([routeTo(t.b, '10.2.1.0/24')]);
  });

  test('is deleted with its routes, and with foreign routes that would block the deletion of its router', async () => {
    await using t = await startRouted();
    const foreignRoute = { destination: '192.168.77.0/24', nexthop: t.b.address };
    await t.network.routers.addRoutes(t.routerID, [foreignRoute]);
    await t.fairway.delete(clusters, 'demo');
    await t.clock.during(t.fairway.until(clusters, (all) => all.length === 0));

    expect(resourceCounts(t.fairway.cloud)).toMatchObject({ servers: 0, routers: 0 });
  });
});

test('a cluster without pod routes has no routes on its router, regardless of its nodes’ ranges', async () => {
  await using t = await start('None');
  await t.assign(t.a.name, '10.2.0.0/24');
  await t.clock.pass(5 * MINUTE_MS);

  expect(await t.routes()).toEqual([]);
  expect(await t.conditionOf(t.a)).toBeUndefined();
});
