import { clusters } from '@fairway/api/kinds/cluster';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Crash } from '@fairway/controllers/testing/crash';
import { TEAM } from '@fairway/controllers/testing/test-fairway';
import { Events } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const HOUR_MS = 3_600_000;
const LIST_CALL = 'GET /loadbalancers';

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

const sum = (calls: Readonly<Record<string, number>>) => Object.values(calls).reduce((a, b) => a + b, 0);
const addressOf = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
const readyOf = async (name: string) =>
  (await fairway.get(name)).status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');

async function eventsOf(name: string) {
  const { items } = await fairway.fairway.runtime
    .client(fairway.clusterUid)
    .resource(Events)
    .list({ namespace: 'default' });
  return items.filter(({ involvedObject }) => involvedObject.name === name);
}

async function withWeb(): Promise<string | undefined> {
  fairway = await LoadBalancedFairway.start({ cloud: { latency } });
  await fairway.create('web');
  await fairway.clock.pass(60_000);
  return addressOf('web');
}

describe('persistent failures', () => {
  test.each([{ step: 'loadBalancerCreate' }, { step: 'loadBalancerUpdate' }])(
    'polls a load balancer that stays pending forever ($step) a few times a minute',
    async ({ step }) => {
      fairway = await LoadBalancedFairway.start({
        cloud: { latency: { ...NO_LATENCY, lifecycle: { ...latency.lifecycle, [step]: 24 * HOUR_MS } } },
      });
      await fairway.create('web');
      await fairway.clock.pass(60_000);
      await fairway.patch('web', { spec: { ports: [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_080 }] } });
      await fairway.clock.pass(600_000);
      const calls = fairway.countCalls();

      await fairway.clock.pass(HOUR_MS);

      expect(sum(calls())).toBeLessThanOrEqual(7 * 60);
    },
  );

  test('reports an exhausted quota with its numbers, makes few calls, and recovers automatically', async () => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    fairway.fairway.cloud.setQuota('demo', { loadbalancer: 0 });
    await fairway.create('web');
    await fairway.clock.pass(600_000);
    const recorded = await eventsOf('web');
    const { resourceVersion } = (await fairway.get('web')).metadata;
    const calls = fairway.countCalls();

    await fairway.clock.pass(HOUR_MS);
    const callCount = calls();
    const after = await fairway.get('web');
    fairway.fairway.cloud.setQuota('demo', { loadbalancer: 10 });
    await fairway.clock.pass(360_000);

    expect(recorded.map(({ reason, message }) => `${reason} ${message}`)).toContainEqual(
      expect.stringMatching(
        /^SyncLoadBalancerFailed QuotaExceeded: load-balancer: quota exceeded for load balancers: 0 of 0 used, 1 more requested/,
      ),
    );
    expect(sum(callCount)).toBeLessThanOrEqual(120);
    expect(after.metadata.resourceVersion).toBe(resourceVersion);
    expect(await addressOf('web')).toMatch(/^203\./);
    expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  });

  test.each([{ status: 500 }, { status: 403 }, { status: 429 }, { status: 409 }])(
    'makes few calls and no writes while Octavia responds with $status for an hour, and then creates everything',
    async ({ status }) => {
      fairway = await LoadBalancedFairway.start({ cloud: { latency } });
      const { cloud } = fairway.fairway;
      cloud.faults.add({ service: 'load-balancer', times: null, action: { kind: 'answer', status } });
      await fairway.create('web');
      await fairway.clock.pass(600_000);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      const calls = fairway.countCalls();

      await fairway.clock.pass(HOUR_MS);
      const callCount = calls();
      const { metadata } = await fairway.get('web');
      cloud.faults.clear();
      await fairway.clock.pass(400_000);

      expect(sum(callCount)).toBeLessThanOrEqual(180);
      expect(metadata.resourceVersion).toBe(resourceVersion);
      expect(await addressOf('web')).toMatch(/^203\./);
      expect(resourceCounts(cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    },
  );

  test('recreates a load balancer that always ends up in ERROR, with backoff, and leaves none behind', async () => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    const { cloud } = fairway.fairway;
    cloud.faults.add({ times: null, action: { kind: 'loadBalancerError' } });
    await fairway.create('web');
    await fairway.clock.pass(1_200_000);
    const calls = fairway.countCalls();
    await fairway.clock.pass(HOUR_MS);
    const callCount = calls();
    const ready = await readyOf('web');
    cloud.faults.clear();
    await fairway.clock.pass(900_000);

    expect(callCount['POST /loadbalancers'] ?? 0).toBeLessThanOrEqual(15);
    expect(ready).toMatchObject({ status: 'False', reason: 'CloudUnavailable' });
    expect(await addressOf('web')).toMatch(/^203\./);
    expect(resourceCounts(cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  });
});

describe('external changes', () => {
  test('restores a manually deleted listener within a minute', async () => {
    await withWeb();
    const [before] = await fairway.trees();
    await fairway.octavia.listeners.delete(before?.listeners[0]?.id ?? '');

    await fairway.clock.pass(75_000);

    const [after] = await fairway.trees();
    expect(after?.listeners.map(({ protocol_port }) => protocol_port)).toEqual([80]);
    expect(after?.members.map((members) => members.length)).toEqual([2]);
    expect(after?.pools).toHaveLength(1);
  });

  test('reverts manual changes to members, but keeps their weights', async () => {
    await withWeb();
    const [before] = await fairway.trees();
    const [pool] = before?.pools ?? [];
    const [first] = before?.members[0] ?? [];
    const { address = '', protocol_port = 0 } = first ?? {};
    await fairway.octavia.pools.replaceMembers(pool?.id ?? '', [
      { address, protocol_port, weight: 7, name: first?.name ?? '', subnet_id: first?.subnet_id ?? '' },
      { address: '192.0.2.1', protocol_port: 1 },
    ]);

    await fairway.clock.pass(75_000);

    const [after] = await fairway.trees();
    expect(after?.members[0]?.map((member) => member.address).sort()).toEqual(
      before?.members[0]?.map((member) => member.address).sort(),
    );
    expect(after?.members[0]?.find((member) => member.address === address)?.weight).toBe(7);
  });

  test('recreates a load balancer deleted by hand, with the same floating IP', async () => {
    const address = await withWeb();
    const [before] = await fairway.trees();
    await fairway.octavia.loadBalancers.deleteCascade(before?.loadBalancer.id ?? '');

    await fairway.clock.pass(150_000);

    const [after] = await fairway.trees();
    expect(after?.loadBalancer.id).not.toBe(before?.loadBalancer.id);
    expect(await addressOf('web')).toBe(address);
    expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  });

  test('if failovers are not allowed, recreates a load balancer that later goes into ERROR, and keeps its floating IP', async () => {
    const address = await withWeb();
    const [before] = await fairway.trees();
    fairway.fairway.cloud.faults.add({ action: { kind: 'loadBalancerError' } });
    await fairway.octavia.listeners.update(before?.listeners[0]?.id ?? '', { connection_limit: 5 });

    await fairway.clock.pass(240_000);

    const [after, ...more] = await fairway.trees();
    expect(more).toEqual([]);
    expect(after?.loadBalancer).toMatchObject({ provisioning_status: 'ACTIVE' });
    expect(after?.loadBalancer.id).not.toBe(before?.loadBalancer.id);
    expect(await addressOf('web')).toBe(address);
    expect(await readyOf('web')).toMatchObject({ status: 'True' });
  });

  test('never touches other clusters in the project or a foreign load balancer with the same name', async () => {
    await withWeb();
    const [own] = await fairway.trees();
    const foreign = await fairway.octavia.loadBalancers.create({
      name: own?.loadBalancer.name ?? '',
      vip_subnet_id: own?.loadBalancer.vip_subnet_id ?? '',
    });
    await fairway.fairway.createCluster({}, 'other');
    await fairway.clock.pass(60_000);
    await fairway.fairway.client.resource(clusters).delete('other', { namespace: TEAM });
    await fairway.delete('web');
    await fairway.clock.pass(120_000);

    const left = await fairway.trees();
    expect(left.map(({ loadBalancer }) => loadBalancer.id)).toEqual([foreign.id]);
  });

  test('refuses a Service that refers to the load balancer of another Service', async () => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    const [subnet] = await Array.fromAsync(fairway.network.subnets.list({ ip_version: 4 }));
    const { id } = await fairway.octavia.loadBalancers.create({ name: 'theirs', vip_subnet_id: subnet?.id ?? '' });
    await fairway.clock.pass(30_000);
    const before = await fairway.trees();
    await fairway.create('thief', {}, { 'loadbalancer.openstack.org/load-balancer-id': id }, 30_200);
    await fairway.clock.pass(60_000);

    expect(await readyOf('thief')).toMatchObject({ status: 'False', reason: 'ConfigurationInvalid' });
    expect(await addressOf('thief')).toBeUndefined();
    expect(await fairway.trees()).toEqual(before);
  });
});

describe('a process that dies', () => {
  test('leaves everything to the next process, which changes nothing', async () => {
    await withWeb();
    const before = await fairway.trees();
    const { resourceVersion } = (await fairway.get('web')).metadata;
    await fairway.fairway.stopProcess();
    const calls = fairway.countCalls();
    await fairway.fairway.startProcess();
    await fairway.clock.pass(60_000);
    const restart = calls();

    expect(Object.keys(restart).filter((call) => !call.startsWith('GET '))).toEqual([]);
    expect(restart['GET /pools/{pool}/members']).toBe(1);
    expect(restart[LIST_CALL]).toBeLessThanOrEqual(4);
    expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);
    expect(await fairway.trees()).toEqual(before);
  });

  test.each([1, 2, 3, 4])(
    'has its work completed by the next process, after write %i to the cluster',
    async (writes) => {
      const crash = new Crash(/\/services\//);
      fairway = await LoadBalancedFairway.start({ cloud: { latency }, ...crash.options });
      await fairway.create('web');
      crash.afterWrites(writes, () => {});
      await fairway.clock.pass(60_000);
      await fairway.fairway.stopProcess();
      crash.end();
      await fairway.fairway.startProcess();
      await fairway.clock.pass(120_000);
      const counts = resourceCounts(fairway.fairway.cloud);
      const address = await addressOf('web');
      crash.afterWrites(1, () => {});
      await fairway.delete('web');
      await fairway.clock.pass(60_000);
      await fairway.fairway.stopProcess();
      crash.end();
      await fairway.fairway.startProcess();
      await fairway.clock.pass(120_000);

      expect(counts).toMatchObject({ load_balancers: 1, floating_ips: 1 });
      expect(address).toMatch(/^203\./);
      expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
      expect(await fairway.exists('web')).toBe(false);
    },
  );

  test.each([
    { call: 'POST /loadbalancers', method: 'POST', path: '/loadbalancers$' },
    { call: 'POST /floatingips', method: 'POST', path: '/floatingips$' },
  ])('does not create an object twice if $call got no response', async ({ method, path }) => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    fairway.fairway.cloud.faults.add({ method, path, action: { kind: 'drop', when: 'after' } });
    await fairway.create('web');
    await fairway.clock.pass(120_000);

    expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    expect(await addressOf('web')).toMatch(/^203\./);
  });
});

test('makes two calls per Service, in addition to a shared list, for two hundred concurrent Services', async () => {
  fairway = await LoadBalancedFairway.start({ cloud: { latency } });
  const calls = fairway.countCalls();
  const names = Array.from({ length: 200 }, (_, index) => `web-${index}`);
  for (const [index, name] of names.entries()) {
    await fairway.create(name, { clusterIP: `10.3.${index}.7` }, {}, 30_100 + index);
  }
  await fairway.clock.pass(120_000);
  const counts = calls();
  const { items } = await fairway.services.list({ namespace: 'default' });

  expect(items.filter(({ status }) => status?.loadBalancer?.ingress?.[0]?.ip)).toHaveLength(200);
  expect(counts).toMatchObject({ 'POST /loadbalancers': 200, 'POST /floatingips': 200 });
  expect(counts[LIST_CALL]).toBeLessThanOrEqual(40);
});
