import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { createForeignClient } from '@fairway/controllers/testing/foreign-client';
import { Events } from '@fairway/kube/kinds/resources';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';
import {
  PEER,
  TAKEOVER_OPTIONS,
  type UpstreamLoadBalancer,
  upstreamLoadBalancer,
} from '../../load-balancers/testing/upstream-load-balancer.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
/** Long enough for two successive changes to a load balancer. */
const SETTLE_MS = 60_000;
const WEB = { name: 'web', port: 80, nodePort: 30_080 };
const API = { name: 'api', port: 81, nodePort: 30_180 };

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

/** A cluster with a load balancer left by an upstream controller that has stopped. */
async function start(services = [WEB], options: object = TAKEOVER_OPTIONS): Promise<UpstreamLoadBalancer> {
  fairway = await LoadBalancedFairway.start({ cloud: { latency }, ...options });
  const made = await upstreamLoadBalancer(fairway, services);
  await fairway.clock.pass(SETTLE_MS);
  return made;
}

type Annotations = Readonly<Record<string, string>>;

/** A Service as upstream leaves it. */
function createUpstream({ name, port, nodePort }: typeof WEB, annotations: Annotations) {
  return fairway.create(name, { ports: [{ port }] }, { ...annotations }, nodePort);
}

async function serveService(service: typeof WEB, annotations: Annotations): Promise<void> {
  await createUpstream(service, annotations);
  await fairway.clock.pass(SETTLE_MS);
}

async function remove(name: string): Promise<void> {
  await fairway.delete(name);
  await fairway.clock.pass(SETTLE_MS);
}

const addressOf = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
const readyOf = async (name: string) =>
  (await fairway.get(name)).status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');

async function events(): Promise<readonly string[]> {
  const api = fairway.fairway.runtime.client(fairway.clusterUid).resource(Events);
  const { items } = await api.list({ namespace: 'default' });
  return items.map(({ reason }) => reason ?? '');
}

/** IDs of everything in Octavia, including the pools' members. */
async function ids(): Promise<object> {
  const trees = await fairway.trees();
  return trees.map(({ loadBalancer, listeners, pools, members }) => ({
    loadBalancer: loadBalancer.id,
    listeners: listeners.map(({ id }) => id).toSorted(),
    pools: pools.map(({ id, healthmonitor_id: monitor }) => `${id} ${monitor}`).toSorted(),
    members: members
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  }));
}

const cloudResources = () => {
  const { load_balancers, floating_ips } = resourceCounts(fairway.fairway.cloud);
  return { load_balancers, floating_ips };
};
const EMPTY_HOLDINGS = { load_balancers: 0, floating_ips: 0 };

describe('a load balancer that upstream created for a Service', () => {
  test('is taken over in place: nothing is recreated, and the address stays', async () => {
    const { annotations, floatingIp } = await start();
    const before = await ids();
    const calls = fairway.countCalls();
    await serveService(WEB, annotations);

    expect(await ids()).toEqual(before);
    expect(await addressOf('web')).toBe(floatingIp.floating_ip_address);
    expect((await readyOf('web'))?.status).toBe('True');
    expect(await events()).toContain('LoadBalancerTakenOver');
    const { 'GET /loadbalancers': _, ...made } = calls();
    const writes = Object.entries(made).filter(([call]) => !call.startsWith('GET'));
    expect(Object.values(made).reduce((sum, count) => sum + count)).toBeLessThan(30);
    expect(Object.fromEntries(writes)).toEqual({
      'PUT /floatingips/{id}': 1,
      'PUT /loadbalancers/{id}': 1,
      'PUT /listeners/{id}': 1,
      'PUT /pools/{id}': 1,
      'PUT /healthmonitors/{id}': 1,
    });
  });

  test('belongs to Fairway afterwards, without another check of upstream’s tags', async () => {
    const { annotations } = await start();
    await serveService(WEB, annotations);
    const calls = fairway.countCalls();
    await fairway.clock.pass(600_000);
    const idleCalls = calls();
    await fairway.patch('web', { spec: { ports: [{ port: 8080, protocol: 'TCP', nodePort: 30_081 }] } });
    await fairway.clock.pass(SETTLE_MS);
    const [tree] = await fairway.trees();
    await remove('web');

    expect(withoutLists(idleCalls)).toEqual({});
    expect(tree?.listeners.map(({ protocol_port: port }) => port)).toEqual([8080]);
    expect(tree?.members.map((members) => members.length)).toEqual([2]);
    expect(cloudResources()).toEqual(EMPTY_HOLDINGS);
  });

  test('is deleted with a Service that is deleted before the takeover', async () => {
    const { annotations } = await start();
    await createUpstream(WEB, annotations);
    await fairway.patch('web', { metadata: { finalizers: [CLEANUP_FINALIZER] } });
    await remove('web');

    expect(await fairway.exists('web')).toBe(false);
    expect(cloudResources()).toEqual(EMPTY_HOLDINGS);
    expect(await events()).not.toContain('LoadBalancerLeft');
  });

  test('keeps a floating IP that someone else created for it', async () => {
    const { annotations, floatingIp } = await start();
    await fairway.network.floatingIps.update(floatingIp.id, { description: 'of the office' });
    await serveService(WEB, annotations);
    const address = await addressOf('web');
    await remove('web');

    expect(address).toBe(floatingIp.floating_ip_address);
    expect(cloudResources()).toEqual({ load_balancers: 0, floating_ips: 1 });
  });

  test('remains unchanged without the operator’s consent', async () => {
    const { annotations, floatingIp } = await start([WEB], {});
    const before = await fairway.trees();
    await serveService(WEB, annotations);
    const condition = await readyOf('web');
    const after = await fairway.trees();
    await remove('web');

    expect(condition).toMatchObject({
      status: 'False',
      message: expect.stringContaining('does not belong to a Service'),
    });
    expect(after).toEqual(before);
    expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
    expect((await fairway.floatingIps())[0]?.description).toBe(floatingIp.description);
  });

  test('is awaited while Octavia is changing it, with few calls and no warning', async () => {
    const dayLongUpdates = { ...latency, lifecycle: { ...latency.lifecycle, loadBalancerUpdate: 86_400_000 } };
    const { annotations } = await start([WEB], { ...TAKEOVER_OPTIONS, cloud: { latency: dayLongUpdates } });
    const [tree] = await fairway.trees();
    await fairway.octavia.listeners.update(tree?.listeners[0]?.id ?? '', { connection_limit: 5 });
    await serveService(WEB, annotations);
    const calls = fairway.countCalls();
    await fairway.clock.pass(600_000);

    expect(calls()['GET /loadbalancers/{id}']).toBeLessThan(20);
    expect(await events()).not.toContain('SyncLoadBalancerFailed');
  });

  test('is reported while in ERROR, and taken over once it works', async () => {
    const { annotations, loadBalancer } = await start();
    fairway.fairway.cloud.faults.add({ action: { kind: 'loadBalancerError' } });
    const [tree] = await fairway.trees();
    await fairway.octavia.listeners.update(tree?.listeners[0]?.id ?? '', { connection_limit: 5 });
    await fairway.clock.pass(SETTLE_MS);
    await serveService(WEB, annotations);
    const calls = fairway.countCalls();
    await fairway.clock.pass(600_000);
    const condition = await readyOf('web');
    const callsPerHour = calls();
    const failover = (admin: OpenStackClient) => admin.loadBalancing.loadBalancers.failover(loadBalancer.id);
    await createForeignClient(fairway.fairway, failover, 'simulator-admin');
    await fairway.clock.pass(600_000);

    expect(condition?.message).toContain('is in ERROR, and cannot be taken over until it is ACTIVE');
    expect(callsPerHour['GET /loadbalancers/{id}']).toBeLessThan(20);
    expect((await readyOf('web'))?.status).toBe('True');
  });
});

test('loses only the security group that upstream added to nodes when the Service is deleted', async () => {
  const { annotations } = await start();
  const { uid } = (await createUpstream(WEB, annotations)).metadata;
  const { network } = fairway;
  const [port] = (await Array.fromAsync(network.ports.list())).filter((each) =>
    each.device_owner?.startsWith('compute'),
  );
  const before = port?.security_groups ?? [];
  const make = (of: string) =>
    network.securityGroups.create({
      name: `lb-sg-${of}-default-web`,
      description: 'Security Group for default/web Service LoadBalancer in cluster peer',
    });
  const [own, other] = [await make(uid ?? ''), await make('another-uid')];
  await network.ports.update(port?.id ?? '', { security_groups: [...before, own.id, other.id] });
  await fairway.clock.pass(SETTLE_MS);
  const groups = async () => (await network.ports.get(port?.id ?? '')).security_groups?.toSorted();
  const served = await groups();
  await remove('web');

  expect(served).toEqual([...before, own.id, other.id].toSorted());
  expect(await groups()).toEqual([...before, other.id].toSorted());
  const left = await Array.fromAsync(network.securityGroups.list());
  expect(left.map(({ id }) => id)).not.toContain(own.id);
});

test('is reported and left alone if upstream was still creating it when it stopped', async () => {
  const { loadBalancer } = await start();
  await serveService(WEB, {});
  const trees = await fairway.trees();

  expect(await events()).toContain('LoadBalancerLeft');
  expect(trees).toHaveLength(2);
  expect(trees.find((tree) => tree.loadBalancer.id === loadBalancer.id)?.loadBalancer.tags).toEqual(loadBalancer.tags);
});

describe('a load balancer that only resembles upstream’s is refused, and remains', () => {
  test.each<{ of: string; change: (made: UpstreamLoadBalancer) => Promise<unknown>; expected: string }>([
    {
      of: 'a cluster with another name',
      change: ({ loadBalancer }) =>
        fairway.octavia.loadBalancers.update(loadBalancer.id, { name: 'kube_service_other_default_web' }),
      expected: 'its name should be "kube_service_peer_default_web"',
    },
    {
      of: 'unknown origin',
      change: ({ loadBalancer }) => fairway.octavia.loadBalancers.update(loadBalancer.id, { description: 'mine' }),
      expected: 'its description does not match the format of openstack-cloud-controller-manager',
    },
    {
      of: 'several clusters',
      change: ({ loadBalancer }) =>
        fairway.octavia.loadBalancers.update(loadBalancer.id, {
          tags: [...loadBalancer.tags, 'kube_service_other_default_shop'],
        }),
      expected: 'is also used by kube_service_other_default_shop',
    },
    {
      of: 'another Service',
      change: ({ loadBalancer }) =>
        fairway.octavia.loadBalancers.update(loadBalancer.id, { tags: ['kube_service_peer_default_shop'] }),
      expected: 'is also used by kube_service_peer_default_shop',
    },
  ])('refuses a load balancer of $of', async ({ change, expected }) => {
    const made = await start();
    await change(made);
    await fairway.clock.pass(SETTLE_MS);
    const before = await fairway.trees();
    await serveService(WEB, made.annotations);
    const condition = await readyOf('web');

    expect(condition).toMatchObject({ status: 'False', message: expect.stringContaining(expected) });
    expect(await fairway.trees()).toEqual(before);
    await remove('web');
    expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
    expect(await events()).toContain('LoadBalancerLeft');
  });

  test('refuses a load balancer that another cluster has taken over', async () => {
    const { annotations, loadBalancer } = await start();
    const tags = [...loadBalancer.tags, 'fairway', 'fairway-cluster-other', 'fairway-service-other'];
    await fairway.octavia.loadBalancers.update(loadBalancer.id, { tags });
    await serveService(WEB, annotations);

    expect((await readyOf('web'))?.message).toContain('belongs to another cluster');
  });
});

describe('a load balancer that upstream shared between Services', () => {
  const both = [WEB, API];

  test('is taken over for all these Services', async () => {
    const { annotations, floatingIp } = await start(both);
    const before = await ids();
    await createUpstream(API, annotations);
    await serveService(WEB, annotations);

    expect(await ids()).toEqual(before);
    expect([await addressOf('web'), await addressOf('api')]).toEqual([
      floatingIp.floating_ip_address,
      floatingIp.floating_ip_address,
    ]);
    expect((await readyOf('api'))?.status).toBe('True');
  });

  test.each([
    { first: WEB, last: API, left: 81 },
    { first: API, last: WEB, left: 80 },
  ])('is deleted with the last Service if $first.name is deleted first', async ({ first, last, left }) => {
    const { annotations } = await start(both);
    await createUpstream(API, annotations);
    await serveService(WEB, annotations);
    await remove(first.name);
    const [tree] = await fairway.trees();
    await remove(last.name);

    expect(tree?.listeners.map(({ protocol_port: port }) => port)).toEqual([left]);
    expect(cloudResources()).toEqual(EMPTY_HOLDINGS);
  });

  test('makes few calls while its floating IP cannot be changed for an hour', async () => {
    const { annotations } = await start(both);
    const { faults } = fairway.fairway.cloud;
    faults.add({ service: 'network', method: 'PUT', times: null, action: { kind: 'answer', status: 403 } });
    await createUpstream(API, annotations);
    await serveService(WEB, annotations);
    const since = fairway.countCalls();
    await fairway.clock.pass(3_600_000);
    const calls = Object.values(since()).reduce((all, count) => all + count, 0);
    faults.clear();
    await fairway.clock.pass(600_000);

    expect(calls).toBeLessThanOrEqual(6 * 60);
    expect((await readyOf('api'))?.status).toBe('True');
  });

  test.each(both)('loses only the ports of $name if it is deleted before the takeover', async ({ name }) => {
    const { annotations } = await start(both);
    for (const each of both) {
      await createUpstream(each, annotations);
      await fairway.patch(each.name, { metadata: { finalizers: [CLEANUP_FINALIZER] } });
    }
    await remove(name);
    const [tree] = await fairway.trees();

    expect(tree?.listeners).toHaveLength(1);
    expect(await fairway.exists(name)).toBe(false);
    expect(cloudResources()).toEqual({ load_balancers: 1, floating_ips: 1 });
  });

  test('is owned by the other Service if the first no longer exists', async () => {
    const { annotations, loadBalancer, floatingIp } = await start(both);
    const { octavia } = fairway;
    await octavia.loadBalancers.update(loadBalancer.id, { tags: [`kube_service_${PEER}_default_api`] });
    const [tree] = await fairway.trees();
    const first = tree?.listeners.find(({ protocol_port: port }) => port === 80);
    await fairway.clock.pass(SETTLE_MS);
    await octavia.pools.delete(first?.default_pool_id ?? '');
    await fairway.clock.pass(SETTLE_MS);
    await octavia.listeners.delete(first?.id ?? '');
    await fairway.clock.pass(SETTLE_MS);
    await serveService(API, annotations);
    const address = await addressOf('api');
    await remove('api');

    expect(address).toBe(floatingIp.floating_ip_address);
    expect(cloudResources()).toEqual(EMPTY_HOLDINGS);
  });
});
