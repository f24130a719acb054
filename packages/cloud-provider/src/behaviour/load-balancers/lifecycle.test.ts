import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Events } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { USAGE_LIST, withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };

/** The list shared by all load balancers is read at intervals, independently of any one load balancer. */
const LIST_CALL = 'GET /loadbalancers';

describe('a Service of type LoadBalancer', () => {
  let fairway: LoadBalancedFairway;
  afterEach(() => fairway[Symbol.asyncDispose]());

  /** Starts with one working Service, `web`, and a minute for all lists to be read. */
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
    const callCounts = calls();
    const { status, metadata } = await fairway.get('api');
    const tree = (await fairway.trees()).find(({ loadBalancer }) => loadBalancer.name?.endsWith('_default_api'));
    const [floatingIp] = (await fairway.floatingIps()).filter(
      ({ port_id }) => port_id === tree?.loadBalancer.vip_port_id,
    );

    expect(withoutLists(callCounts)).toEqual({ 'POST /loadbalancers': 1, 'POST /floatingips': 1 });
    expect(callCounts[LIST_CALL]).toBeLessThanOrEqual(3);
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

  test('is polled often enough on a cloud without history, and rarely once there is a history', async () => {
    const slowLatency = { ...latency, lifecycle: { ...latency.lifecycle, loadBalancerCreate: 60_000 } };
    fairway = await LoadBalancedFairway.start({ cloud: { latency: slowLatency } });
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
    // One poll every three seconds, because users should not wait longer.
    expect(first[LIST_CALL]).toBeLessThanOrEqual(25);
    expect(await Promise.all(['a', 'b', 'c'].map(isServed))).toEqual([true, true, true]);
    expect(withoutLists(next())).toEqual({ 'POST /loadbalancers': 3, 'POST /floatingips': 3 });
    expect(next()[LIST_CALL]).toBeLessThanOrEqual(5);
  });

  test('has its health monitor updated, even though the create response did not include the monitor', async () => {
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

  test('costs no calls when an unrelated field changes, and one list call a minute while idle', async () => {
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
    expect(calls()[LIST_CALL]).toBeLessThanOrEqual(12);
    expect(calls()[USAGE_LIST]).toBeLessThanOrEqual(2);
  });

  test('adds and removes ports in one call per part of the load balancer', async () => {
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
    // Each change is requested after the previous one is complete.
    expect(added[LIST_CALL]).toBeLessThanOrEqual(4 + 2);
    expect(grown?.listeners).toHaveLength(2);
    expect(grown?.members.map((members) => members.length)).toEqual([2, 2]);
    expect(withoutLists(removed)).toEqual({ 'DELETE /pools/{id}': 1, 'DELETE /listeners/{id}': 1 });
    expect(shrunk?.listeners.map(({ protocol_port }) => protocol_port)).toEqual([81]);
    expect(shrunk?.pools).toHaveLength(1);
  });

  test('sends traffic to the current nodes, with one call per pool for each change', async () => {
    await withWeb();
    const calls = fairway.countCalls();

    await fairway.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.clock.pass(30_000);
    const grown = calls();
    const [treeOfThree] = await fairway.trees();
    await fairway.fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await fairway.clock.pass(60_000);
    const [one] = await fairway.trees();
    const machines = await fairway.fairway.machines();

    expect(withoutLists(grown)).toEqual({ 'PUT /pools/{pool}/members': 1 });
    expect(grown[LIST_CALL]).toBeLessThanOrEqual(2);
    expect(treeOfThree?.members[0]).toHaveLength(3);
    expect(one?.members[0]?.map(({ name }) => name)).toEqual(machines.map(({ metadata }) => metadata.name));
  });

  test('leaves nothing behind when it is deleted or changes its type', async () => {
    await withWeb();
    const before = resourceCounts(fairway.fairway.cloud);
    const calls = fairway.countCalls();

    await fairway.delete('web');
    await fairway.clock.pass(30_000);
    const deleted = calls();
    const isPresent = await fairway.exists('web');
    await fairway.create('api', {}, {}, 30_200);
    await fairway.clock.pass(60_000);
    await fairway.patch('api', { spec: { type: 'ClusterIP', ports: [{ name: 'p0', port: 80, nodePort: null }] } });
    await fairway.clock.pass(30_000);
    const api = await fairway.get('api');
    const after = resourceCounts(fairway.fairway.cloud);

    expect(withoutLists(deleted)).toEqual({ 'DELETE /loadbalancers/{id}': 1, 'DELETE /floatingips/{id}': 1 });
    expect(deleted[LIST_CALL]).toBeLessThanOrEqual(4);
    expect(isPresent).toBe(false);
    expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    expect(after).toMatchObject({ load_balancers: 0, floating_ips: 0 });
    expect(api.metadata.finalizers).toBeUndefined();
    expect(api.metadata.annotations).toEqual({});
    expect(api.status?.loadBalancer).toEqual({});
  });

  test('has its load balancer deleted with its cluster', async () => {
    await withWeb();
    const { fairway: testFairway } = fairway;

    await testFairway.delete(clusters, 'demo');
    await fairway.clock.pass(120_000);

    expect(await testFairway.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(resourceCounts(testFairway.cloud)).toMatchObject({
      servers: 0,
      load_balancers: 0,
      floating_ips: 0,
      ports: 0,
      routers: 0,
      security_groups: 0,
    });
  });

  test('causes no calls after its cluster is deleted', async () => {
    await withWeb();
    await fairway.fairway.delete(clusters, 'demo');
    await fairway.clock.pass(600_000);
    const since = fairway.countCalls();
    await fairway.clock.pass(600_000);

    // These calls are the garbage collector's search for resources of deleted clusters.
    expect(since()).toEqual({ 'GET /floatingips': 1, 'GET /loadbalancers': 1 });
  });

  test('has its floating IP deleted if the cluster is deleted right after its creation, even though older lists do not show the address', async () => {
    const fastLatency = {
      ...latency,
      lifecycle: { ...latency.lifecycle, loadBalancerCreate: 1_000, loadBalancerDelete: 1_000 },
    };
    fairway = await LoadBalancedFairway.start({ cloud: { latency: fastLatency } });
    // A client that creates the next one gets a list that is older than its request.
    await fairway.clock.pass(700_000);
    await fairway.create('web');
    await fairway.clock.pass(5_000);
    const { fairway: testFairway } = fairway;
    const before = resourceCounts(testFairway.cloud);

    await testFairway.delete(clusters, 'demo');
    await fairway.clock.pass(120_000);

    expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    expect(await testFairway.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(resourceCounts(testFairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  });

  test('reports its progress in events', async () => {
    await withWeb();
    await fairway.delete('web');
    await fairway.clock.pass(30_000);

    const { items } = await fairway.fairway.runtime
      .client(fairway.clusterUid)
      .resource(Events)
      .list({ namespace: 'default' });
    const recorded = items.filter(({ involvedObject }) => involvedObject.name === 'web');
    expect(recorded.map(({ reason, type, count }) => `${type} ${reason} ${count}`)).toEqual([
      'Normal EnsuringLoadBalancer 1',
      'Normal EnsuredLoadBalancer 1',
      'Normal DeletingLoadBalancer 1',
      'Normal DeletedLoadBalancer 1',
    ]);
  });
});
