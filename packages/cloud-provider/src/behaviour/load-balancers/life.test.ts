import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { Events } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { LIFE, LoadBalancedFairway } from '../../load-balancers/testing/balanced-fairway.ts';
import { USAGE_LIST, withoutLists } from '../../load-balancers/testing/own-calls.ts';

const latency = { ...NO_LATENCY, life: { ...NO_LATENCY.life, ...LIFE } };

/** How often the list that all load balancers share is read says nothing of one. */
const LIST = 'GET /loadbalancers';

describe('a Service of type LoadBalancer', () => {
  let fairway: LoadBalancedFairway;
  afterEach(() => fairway[Symbol.asyncDispose]());

  /** With one Service `web` that works, and lists of all kinds. */
  async function withWeb(spec: Parameters<LoadBalancedFairway['create']>[1] = {}, annotations = {}): Promise<void> {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    await fairway.create('web', spec, annotations);
    await fairway.clock.pass(60_000);
  }

  test('gets an address, listeners and members in one call for the load balancer and one for the floating IP', async () => {
    await withWeb();
    const calls = fairway.countCalls();

    await fairway.create('api', { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }] }, {}, 30_200);
    await fairway.clock.pass(60_000);
    const made = calls();
    const { status, metadata } = await fairway.get('api');
    const tree = (await fairway.trees()).find(({ loadBalancer }) => loadBalancer.name?.endsWith('_default_api'));
    const [floatingIp] = (await fairway.floatingIps()).filter(
      ({ port_id }) => port_id === tree?.loadBalancer.vip_port_id,
    );

    expect(withoutLists(made)).toEqual({ 'POST /loadbalancers': 1, 'POST /floatingips': 1 });
    expect(made[LIST]).toBeLessThanOrEqual(3);
    expect(status?.loadBalancer?.ingress).toEqual([{ ip: floatingIp?.floating_ip_address, ipMode: 'VIP' }]);
    expect(metadata.finalizers).toEqual(['service.kubernetes.io/load-balancer-cleanup']);
    expect(metadata.annotations).toMatchObject({
      'loadbalancer.openstack.org/load-balancer-id': tree?.loadBalancer.id,
      'loadbalancer.openstack.org/load-balancer-address': floatingIp?.floating_ip_address,
    });
    expect(tree?.listeners.map(({ protocol, protocol_port }) => `${protocol}/${protocol_port}`).sort()).toEqual([
      'TCP/443',
      'UDP/53',
    ]);
    expect(tree?.members.map((members) => members.length)).toEqual([2, 2]);
  });

  test('is observed in time on a cloud without history, and with few polls once there is some', async () => {
    const slow = { ...latency, life: { ...latency.life, loadBalancerCreate: 60_000 } };
    fairway = await LoadBalancedFairway.start({ cloud: { latency: slow } });
    const isServed = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress !== undefined;
    const calls = fairway.countCalls();
    await fairway.create('web');
    await fairway.clock.pass(64_000);
    const first = calls();
    const isFirstServed = await isServed('web');
    await fairway.clock.pass(60_000);
    const next = fairway.countCalls();
    await Promise.all(['a', 'b', 'c'].map((name, index) => fairway.create(name, {}, {}, 30_200 + index)));
    await fairway.clock.pass(64_000);

    expect(isFirstServed).toBe(true);
    // One look every three seconds, as nobody is to wait longer.
    expect(first[LIST]).toBeLessThanOrEqual(25);
    expect(await Promise.all(['a', 'b', 'c'].map(isServed))).toEqual([true, true, true]);
    expect(withoutLists(next())).toEqual({ 'POST /loadbalancers': 3, 'POST /floatingips': 3 });
    expect(next()[LIST]).toBeLessThanOrEqual(5);
  });

  test('has its health monitor updated, which the response to its creation did not include', async () => {
    await withWeb();
    const calls = fairway.countCalls();

    await fairway.patch('web', {
      metadata: { annotations: { 'loadbalancer.openstack.org/health-monitor-delay': '17' } },
    });
    await fairway.clock.pass(10_000);
    const changed = calls();
    const { healthMonitors } = fairway.octavia;

    expect(await Array.fromAsync(healthMonitors.list())).toMatchObject([{ delay: 17 }]);
    expect(withoutLists(changed)).toEqual({
      'GET /pools/{id}': 1,
      'GET /healthmonitors/{id}': 1,
      'PUT /healthmonitors/{id}': 1,
    });
  });

  test('costs nothing when an unrelated field changes, and a list a minute while idle', async () => {
    await withWeb();
    await fairway.patch('web', { metadata: { labels: { team: 'a' } } });
    await fairway.clock.pass(1_000);
    const calls = fairway.countCalls();

    await fairway.patch('web', { metadata: { annotations: { 'example.com/note': 'hello' } } });
    await fairway.clock.pass(1_000);
    const edited = calls();
    await fairway.clock.pass(600_000);

    expect(edited).toEqual({});
    expect(withoutLists(calls())).toEqual({});
    expect(calls()[LIST]).toBeLessThanOrEqual(12);
    expect(calls()[USAGE_LIST]).toBeLessThanOrEqual(2);
  });

  test('gets and loses ports in as few calls as there are parts', async () => {
    await withWeb();
    const calls = fairway.countCalls();
    const ports = [
      { name: 'p0', port: 80, nodePort: 30_080 },
      { name: 'p1', port: 81, nodePort: 30_081 },
    ];

    await fairway.patch('web', { spec: { ports } });
    await fairway.clock.pass(30_000);
    const added = calls();
    const [grown] = await fairway.trees();
    const before = fairway.countCalls();
    await fairway.patch('web', { spec: { ports: ports.slice(1) } });
    await fairway.clock.pass(30_000);
    const removed = before();
    const [shrunk] = await fairway.trees();

    expect(withoutLists(added)).toEqual({
      'POST /listeners': 1,
      'POST /pools': 1,
      'PUT /pools/{pool}/members': 1,
      'POST /healthmonitors': 1,
    });
    // Each is asked for when the one before is over.
    expect(added[LIST]).toBeLessThanOrEqual(4 + 2);
    expect(grown?.listeners).toHaveLength(2);
    expect(grown?.members.map((members) => members.length)).toEqual([2, 2]);
    expect(withoutLists(removed)).toEqual({ 'DELETE /pools/{id}': 1, 'DELETE /listeners/{id}': 1 });
    expect(shrunk?.listeners.map(({ protocol_port }) => protocol_port)).toEqual([81]);
    expect(shrunk?.pools).toHaveLength(1);
  });

  test('sends to the current nodes, in one call for each pool', async () => {
    await withWeb();
    const calls = fairway.countCalls();

    await fairway.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.clock.pass(30_000);
    const grown = calls();
    const [three] = await fairway.trees();
    await fairway.fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await fairway.clock.pass(60_000);
    const [one] = await fairway.trees();
    const machines = await fairway.fairway.machines();

    expect(withoutLists(grown)).toEqual({ 'PUT /pools/{pool}/members': 1 });
    expect(grown[LIST]).toBeLessThanOrEqual(2);
    expect(three?.members[0]).toHaveLength(3);
    expect(one?.members[0]?.map(({ name }) => name)).toEqual(machines.map(({ metadata }) => metadata.name));
  });

  test('leaves nothing when it is deleted, or changes its type', async () => {
    await withWeb();
    const before = holdings(fairway.fairway.cloud);
    const calls = fairway.countCalls();

    await fairway.delete('web');
    await fairway.clock.pass(30_000);
    const deleted = calls();
    const isThere = await fairway.exists('web');
    await fairway.create('api', {}, {}, 30_200);
    await fairway.clock.pass(60_000);
    await fairway.patch('api', { spec: { type: 'ClusterIP', ports: [{ name: 'p0', port: 80, nodePort: null }] } });
    await fairway.clock.pass(30_000);
    const api = await fairway.get('api');
    const after = holdings(fairway.fairway.cloud);

    expect(withoutLists(deleted)).toEqual({ 'DELETE /loadbalancers/{id}': 1, 'DELETE /floatingips/{id}': 1 });
    expect(deleted[LIST]).toBeLessThanOrEqual(4);
    expect(isThere).toBe(false);
    expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    expect(after).toMatchObject({ load_balancers: 0, floating_ips: 0 });
    expect(api.metadata.finalizers).toBeUndefined();
    expect(api.metadata.annotations).toEqual({});
    expect(api.status?.loadBalancer).toEqual({});
  });

  test('has its load balancer deleted with its cluster', async () => {
    await withWeb();
    const { fairway: whole } = fairway;

    await whole.delete(clusters, 'demo');
    await fairway.clock.pass(120_000);

    expect(await whole.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(holdings(whole.cloud)).toMatchObject({
      servers: 0,
      load_balancers: 0,
      floating_ips: 0,
      ports: 0,
      routers: 0,
      security_groups: 0,
    });
  });

  test('causes no more calls when its cluster is gone', async () => {
    await withWeb();
    await fairway.fairway.delete(clusters, 'demo');
    await fairway.clock.pass(600_000);
    const since = fairway.countCalls();
    await fairway.clock.pass(600_000);

    // Of the search for what clusters have left behind.
    expect(since()).toEqual({ 'GET /floatingips': 1, 'GET /loadbalancers': 1 });
  });

  test('has its floating IP deleted with a cluster deleted right after, though older lists do not show it', async () => {
    const quick = { ...latency, life: { ...latency.life, loadBalancerCreate: 1_000, loadBalancerDelete: 1_000 } };
    fairway = await LoadBalancedFairway.start({ cloud: { latency: quick } });
    // Whoever makes the next one has a list made that is older than what it makes.
    await fairway.clock.pass(700_000);
    await fairway.create('web');
    await fairway.clock.pass(5_000);
    const { fairway: whole } = fairway;
    const before = holdings(whole.cloud);

    await whole.delete(clusters, 'demo');
    await fairway.clock.pass(120_000);

    expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    expect(await whole.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(holdings(whole.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  });

  test('reports its progress in events', async () => {
    await withWeb();
    await fairway.delete('web');
    await fairway.clock.pass(30_000);

    const { items } = await fairway.fairway.runtime
      .client(fairway.clusterUid)
      .resource(Events)
      .list({ namespace: 'default' });
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'web');
    expect(told.map(({ reason, type, count }) => `${type} ${reason} ${count}`)).toEqual([
      'Normal EnsuringLoadBalancer 1',
      'Normal EnsuredLoadBalancer 1',
      'Normal DeletingLoadBalancer 1',
      'Normal DeletedLoadBalancer 1',
    ]);
  });
});
