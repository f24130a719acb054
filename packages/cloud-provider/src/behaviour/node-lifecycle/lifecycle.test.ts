import { NODE_POOL_LABEL, PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { isReady, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { Events, Namespaces } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { createCloudProvider } from '../../start.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const REGION = 'RegionOne';
const MISSING_ID = '00000000-0000-4000-8000-000000000000';

/** A cluster with two nodes and a pool without repairs. */
async function start() {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, runnables: (parts) => createCloudProvider(parts) });
  const cluster = await fairway.createCluster();
  await fairway.createPool({ replicas: 2, healing: { enabled: false } });
  const isUp = (all: readonly Machine[]) => all.length === 2 && all.every(isReady);
  await clock.during(fairway.until(machines, isUp));
  await clock.pass(MINUTE_MS);
  const [victim, sibling] = await fairway.machines();
  const tenant = fairway.runtime.client(identityOf(cluster));
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  const nodes = tenant.resource(tenantNodes);
  const namesOf = async () => (await nodes.list()).items.map(({ metadata }) => metadata.name ?? '');
  return {
    fairway,
    clock,
    nodes,
    namesOf,
    victim: victim?.metadata.name ?? '',
    sibling: sibling?.metadata.name ?? '',
    serverID: victim?.status?.serverID ?? '',
    servers: fairway.process.project.client.compute.servers,
    reasons: async () =>
      (await tenant.resource(Events).list({ namespace: 'default' })).items.map(({ reason }) => reason),
    notReady: (name: string) =>
      nodes.patch(
        name,
        { type: 'merge', value: { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } } },
        { subresource: 'status' },
      ),
    /** Creates an unresponsive node without a machine. */
    leave: async (
      name: string,
      spec: TenantNode['spec'],
      labels: Record<string, string> = { [NODE_POOL_LABEL]: 'x' },
    ) => {
      await nodes.create({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels },
        ...(spec && { spec }),
      });
    },
    /** Calls for a single server, and lists of servers. */
    callsOf: async (durationMs: number) => {
      const count = (template: string) =>
        fairway.cloud.calls
          .counts()
          .filter((each) => each.method === 'GET' && each.template === template)
          .reduce((sum, each) => sum + each.count, 0);
      const now = () => ({ looks: count('/v2.1/servers/{id}'), lists: count('/v2.1/servers/detail') });
      const before = now();
      await clock.pass(durationMs);
      const after = now();
      return { looks: after.looks - before.looks, lists: after.lists - before.lists };
    },
  };
}

const faultOn = (path: string, status: number): FaultInput => ({
  service: 'compute',
  method: 'GET',
  path,
  times: null,
  action: { kind: 'answer', status },
});

describe('a node whose server was deleted in the cloud', () => {
  test('is deleted once it is no longer Ready, with upstream’s events', async () => {
    await using t = await start().then(asDisposable);
    await t.servers.delete(t.serverID);
    await t.clock.pass(3 * MINUTE_MS);
    const namesWhileReady = await t.namesOf();
    await t.notReady(t.victim);
    await t.clock.pass(MINUTE_MS);

    expect(namesWhileReady).toContain(t.victim);
    expect(await t.namesOf()).toEqual([t.sibling]);
    expect(await t.reasons()).toContain('DeletingNode');
  });

  test.each([500, 403, 429])('is kept while the cloud responds with %i, no matter how long', async (status) => {
    await using t = await start().then(asDisposable);
    const fault = t.fairway.cloud.faults.add(faultOn('/servers', status));
    // The older list was conclusive, but is now too old.
    await t.clock.pass(2 * MINUTE_MS);
    await t.leave('demo-left', {});
    await t.notReady(t.victim);
    await t.clock.pass(HOUR_MS);
    const during = await t.namesOf();
    t.fairway.cloud.faults.remove(fault);
    await t.clock.pass(10 * MINUTE_MS);

    expect(during).toEqual(expect.arrayContaining([t.victim, 'demo-left']));
    expect(await t.namesOf()).toContain(t.victim);
  });

  test('is kept while lists do not show the server but the cloud reports that it exists', async () => {
    await using t = await start().then(asDisposable);
    await t.servers.setTags(t.serverID, []);
    await t.clock.pass(3 * MINUTE_MS);
    await t.notReady(t.victim);
    await t.clock.pass(10 * MINUTE_MS);

    expect(await t.namesOf()).toContain(t.victim);
  });
});

describe('a node without a machine', () => {
  test.each([
    {
      spec: { providerID: `openstack://${REGION}/${MISSING_ID}` },
      reason: 'its providerID refers to a deleted server',
    },
    { spec: {}, reason: 'it reappeared after its machine was deleted' },
  ])('is deleted: $reason', async ({ spec }) => {
    await using t = await start().then(asDisposable);
    await t.leave('demo-left', spec);
    await t.clock.pass(MINUTE_MS);

    expect(await t.namesOf()).toEqual([t.victim, t.sibling]);
  });

  test('is kept if its server exists without our tag, and causes one call every ten minutes', async () => {
    await using t = await start().then(asDisposable);
    await t.leave('mine', { providerID: `openstack://${REGION}/${t.serverID}` });
    await t.clock.pass(MINUTE_MS);
    const callsInAnHour = await t.callsOf(HOUR_MS);

    expect(await t.namesOf()).toContain('mine');
    expect(callsInAnHour.looks).toBeLessThanOrEqual(7);
    expect(callsInAnHour.lists).toBeLessThanOrEqual(64);
  });

  test('is kept while the cloud cannot tell whether its server exists', async () => {
    await using t = await start().then(asDisposable);
    const fault = t.fairway.cloud.faults.add(faultOn(`/servers/${MISSING_ID}`, 500));
    await t.leave('demo-left', { providerID: `openstack://${REGION}/${MISSING_ID}` });
    await t.clock.pass(HOUR_MS);
    const during = await t.namesOf();
    t.fairway.cloud.faults.remove(fault);
    await t.clock.pass(10 * MINUTE_MS);

    expect(during).toContain('demo-left');
    expect(await t.namesOf()).not.toContain('demo-left');
  });

  test('is kept in a paused cluster until it is resumed', async () => {
    await using t = await start().then(asDisposable);
    const pause = (value: string | null) => ({ metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
    await t.fairway.patch(clusters, 'demo', pause('true'));
    await t.clock.pass(MINUTE_MS);
    await t.leave('demo-left', {});
    await t.clock.pass(MINUTE_MS);
    const during = await t.namesOf();
    await t.fairway.patch(clusters, 'demo', pause(null));
    await t.clock.pass(MINUTE_MS);

    expect(during).toContain('demo-left');
    expect(await t.namesOf()).not.toContain('demo-left');
  });

  test('costs a few calls a minute for hundreds of nodes', async () => {
    await using t = await start().then(asDisposable);
    for (let index = 0; index < 300; index++) {
      await t.leave(`fake-${index}`, { providerID: `openstack://${REGION}/${t.serverID}` });
    }
    const callsDuringFlood = await t.callsOf(10 * MINUTE_MS);

    expect(callsDuringFlood.looks).toBeLessThanOrEqual(20 + 2 * 11);
    expect(callsDuringFlood.lists).toBeLessThanOrEqual(12);
    expect((await t.namesOf()).length).toBe(302);
  });
});

function asDisposable<T extends { readonly fairway: TestFairway }>(started: T): T & AsyncDisposable {
  return Object.assign(started, { [Symbol.asyncDispose]: () => started.fairway[Symbol.asyncDispose]() });
}
