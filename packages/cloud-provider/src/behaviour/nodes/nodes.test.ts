import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { isReady, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { createCloudProvider } from '../../start.ts';

const MINUTE_MS = 60_000;
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';

async function start() {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, runnables: (parts) => createCloudProvider(parts) });
  const cluster = await fairway.createCluster();
  await fairway.createPool({ replicas: 1, healing: { enabled: false } });
  await clock.during(fairway.until(machines, (all) => all.length === 1 && all.every(isReady)));
  const [machine] = (await fairway.machines()) as [Machine];
  const nodes = fairway.runtime.client(identityOf(cluster)).resource(tenantNodes);
  const { client } = fairway.process.project;
  return {
    fairway,
    clock,
    client,
    serverID: machine.status?.serverID ?? '',
    node: () => nodes.get(machine.metadata.name ?? ''),
    machine: async () => (await fairway.machines())[0],
    [Symbol.asyncDispose]: () => fairway[Symbol.asyncDispose](),
  };
}

const isTainted = ({ spec }: TenantNode) => spec?.taints?.some(({ key }) => key === SHUTDOWN) ?? false;

describe('a node', () => {
  test('reports that its server was stopped, and that it is running again', async () => {
    await using t = await start();
    await t.client.compute.servers.stop(t.serverID);
    await t.clock.pass(2 * MINUTE_MS);
    const stopped = await t.node();
    await t.client.compute.servers.start(t.serverID);
    await t.clock.pass(2 * MINUTE_MS);

    expect(isTainted(stopped)).toBe(true);
    expect(isTainted(await t.node())).toBe(false);
  });

  test('is identified by its address in the nodes’ subnet when its server gets another interface', async () => {
    await using t = await start();
    const before = await t.node();
    const { network } = t.client;
    // Networks are sorted by name, so this one would be first.
    const { id } = await network.networks.create({ name: 'a-storage' });
    await network.subnets.create({ network_id: id, ip_version: 4, cidr: '10.99.0.0/24' });
    await t.client.compute.servers.attachInterface(t.serverID, { uuid: id });
    await t.clock.pass(2 * MINUTE_MS);
    const internal = ({ status }: TenantNode) =>
      status?.addresses?.filter(({ type }) => type === 'InternalIP').map(({ address }) => address) ?? [];
    const after = internal(await t.node());

    expect(after).toEqual([...internal(before), expect.stringMatching(/^10\.99\.0\./)]);
    expect((await t.machine())?.status?.address).toBe(after[0]);
  });

  test('costs no calls other than the shared list while nothing changes', async () => {
    await using t = await start();
    await t.clock.pass(5 * MINUTE_MS);
    const before = t.fairway.cloud.calls.counts();
    await t.clock.pass(10 * MINUTE_MS);
    const newCalls = t.fairway.cloud.calls
      .counts()
      .filter((each) => each.count > (before.find((old) => isSameCall(old, each))?.count ?? 0))
      .map(({ template }) => template);

    expect(newCalls).toContain('/v2.1/servers/detail');
    expect(newCalls.filter((template) => /servers\/\{id\}|flavors\/\{id\}/.test(template))).toEqual([]);
  });
});

type CallCount = ReturnType<TestFairway['cloud']['calls']['counts']>[number];

function isSameCall(a: CallCount, b: CallCount): boolean {
  return a.service === b.service && a.method === b.method && a.template === b.template;
}
