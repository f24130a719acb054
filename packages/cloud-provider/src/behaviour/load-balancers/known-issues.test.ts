import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Events, Nodes } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { machineAddresses } from '@fairway/tenancy/machine-addresses';
import { afterEach, describe, expect, test } from 'vitest';
import { memberAddresses } from '../../load-balancers/members.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

/*
 * Issues that users of cloud-provider-openstack reported for its load balancers, by their numbers at
 * https://github.com/kubernetes/cloud-provider-openstack/issues. None of them occurs here.
 */

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const MINUTE_MS = 60_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

type CreateArguments = Parameters<LoadBalancedFairway['create']>;

async function start(lifecycle: object = {}): Promise<void> {
  fairway = await LoadBalancedFairway.start({
    cloud: { latency: { ...latency, lifecycle: { ...latency.lifecycle, ...lifecycle } } },
  });
}

async function withWeb(spec: CreateArguments[1] = {}, annotations: CreateArguments[2] = {}): Promise<void> {
  await start();
  await fairway.create('web', spec, annotations);
  await fairway.clock.pass(MINUTE_MS);
}

const addressOf = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
const onlyLoadBalancer = async () => {
  const [tree, ...others] = await fairway.trees();
  expect(others).toEqual([]);
  if (tree === undefined) throw new Error('there is no load balancer');
  return tree;
};

describe('#3102, #2241, #2571, #2624, #1273: clusters take each other’s load balancers', () => {
  test('keeps a load balancer with the same name, and does not take it over', async () => {
    await start();
    const [subnet] = await Array.fromAsync(fairway.network.subnets.list({ ip_version: 4 }));
    const name = 'kube_service_demo_default_web';
    const { id } = await fairway.octavia.loadBalancers.create({ name, vip_subnet_id: subnet?.id ?? '' });
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const recordedID = (await fairway.get('web')).metadata.annotations?.['loadbalancer.openstack.org/load-balancer-id'];
    await fairway.delete('web');
    await fairway.clock.pass(MINUTE_MS);

    expect(recordedID).not.toBe(id);
    expect((await onlyLoadBalancer()).loadBalancer).toMatchObject({ id, name, tags: [] });
  });
});

describe('#2858, #1595, #1304, #2066, #2222: slow with many ports and a slow Octavia', () => {
  test('changes nodes in no more than Octavia’s own time per pool, and does not delay other Services', async () => {
    await start({ loadBalancerUpdate: 120_000 });
    await fairway.create('web', { ports: [{ port: 80 }, { port: 81 }, { port: 82 }] });
    await fairway.clock.pass(MINUTE_MS);
    const nodes = fairway.fairway.runtime.client(fairway.clusterUid).resource(Nodes);
    const [node] = (await nodes.list()).items;
    const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
    await nodes.patch(node?.metadata.name ?? '', { type: 'merge', value: { metadata: { labels } } });
    await fairway.create('other', {}, {}, 30_200);
    await fairway.clock.pass(MINUTE_MS);
    const other = await addressOf('other');
    await fairway.clock.pass(3 * (120_000 + 10_000) - MINUTE_MS);

    expect(other).toMatch(/^203\./);
    const web = (await fairway.trees()).find(({ loadBalancer }) => loadBalancer.name?.endsWith('_web'));
    expect(web?.members.map((members) => members.length)).toEqual([1, 1, 1]);
  });
});

describe('#2541, #2165, #2036, #821, #1052: a load balancer that ends up in ERROR stays there', () => {
  test('recreates the load balancer, and leaves no failed load balancer behind', async () => {
    await start();
    fairway.fairway.cloud.faults.add({ action: { kind: 'loadBalancerError' } });
    await fairway.create('web');
    await fairway.clock.pass(3 * MINUTE_MS);

    expect((await onlyLoadBalancer()).loadBalancer.provisioning_status).toBe('ACTIVE');
    expect(await addressOf('web')).toMatch(/^203\./);
    expect(resourceCounts(fairway.fairway.cloud).floating_ips).toBe(1);
  });
});

describe('#1597, #2962, #2370: drift is never corrected', () => {
  test('restores a pool deleted by hand with its members, even though nothing in the cluster changes', async () => {
    await withWeb();
    await fairway.octavia.pools.delete((await onlyLoadBalancer()).pools[0]?.id ?? '');
    await fairway.clock.pass(90_000);

    expect((await onlyLoadBalancer()).members.map((members) => members.length)).toEqual([2]);
  });
});

describe('#628, #2003, #2695, #2699, #1976: security groups are wiped, leaked and subject to races', () => {
  test('creates no security group for a Service, and does not update the nodes’ ports', async () => {
    await start();
    const groupsOf = async () => {
      const ports = await Array.fromAsync(fairway.network.ports.list());
      const serverPorts = ports.filter(({ device_owner: owner }) => owner?.startsWith('compute:'));
      return serverPorts.map(({ id, security_groups: groups, revision_number: revision }) => ({
        id,
        groups,
        revision,
      }));
    };
    const groupNames = async () => {
      const groups = await Array.fromAsync(fairway.network.securityGroups.list());
      // Octavia creates a security group for the load balancer's own port.
      return groups.map(({ name }) => name).filter((name) => !/^lb-[0-9a-f-]{36}$/.test(name));
    };
    const before = { ports: await groupsOf(), groups: await groupNames() };
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);

    expect(before.ports).not.toEqual([]);
    expect({ ports: await groupsOf(), groups: await groupNames() }).toEqual(before);
  });
});

describe('#2854, #1152: PROXY with UDP is refused by Octavia', () => {
  test('uses PROXY for TCP but not for UDP, and an event reports it', async () => {
    const ports = [{ port: 443 }, { port: 443, protocol: 'UDP' }];
    await withWeb({ ports }, { 'loadbalancer.openstack.org/proxy-protocol': 'v2' });
    const { items } = await fairway.fairway.runtime
      .client(fairway.clusterUid)
      .resource(Events)
      .list({ namespace: 'default' });

    expect((await onlyLoadBalancer()).pools.map(({ protocol }) => protocol).toSorted()).toEqual(['PROXYV2', 'UDP']);
    expect(items.map(({ reason }) => reason)).toContain('LoadBalancerTcpOnly');
  });
});

describe('#2866, #2234: externalTrafficPolicy Local without a monitor sends traffic to nodes that drop it', () => {
  test('probes kube-proxy by default', async () => {
    await withWeb({ externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 });
    const [monitor] = await Array.fromAsync(fairway.octavia.healthMonitors.list());

    expect(monitor).toMatchObject({ type: 'HTTP', url_path: '/healthz' });
    expect((await onlyLoadBalancer()).members[0]?.map(({ monitor_port: port }) => port)).toEqual([31_000, 31_000]);
  });
});

describe('#2756, #665, #2987: the provider is the same for all Services, and lb-method is not changed', () => {
  test('lets a Service choose its provider', async () => {
    await withWeb({}, { 'loadbalancer.fairway.dev/provider': 'ovn' });

    expect((await onlyLoadBalancer()).loadBalancer.provider).toBe('ovn');
  });

  test('changes the algorithm of an existing load balancer', async () => {
    await withWeb();
    const annotations = { 'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS' };
    await fairway.patch('web', { metadata: { annotations } });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyLoadBalancer()).pools.map(({ lb_algorithm: algorithm }) => algorithm)).toEqual([
      'LEAST_CONNECTIONS',
    ]);
  });
});

describe('#2751: annotations remain after a change of type', () => {
  test('creates a new load balancer when the type is LoadBalancer again', async () => {
    await withWeb();
    const before = (await onlyLoadBalancer()).loadBalancer.id;
    await fairway.patch('web', { spec: { type: 'ClusterIP', ports: [{ name: 'p0', port: 80, nodePort: null }] } });
    await fairway.clock.pass(MINUTE_MS);
    const between = (await fairway.get('web')).metadata.annotations;
    await fairway.patch('web', { spec: { type: 'LoadBalancer', ports: [{ name: 'p0', port: 80, nodePort: 30_080 }] } });
    await fairway.clock.pass(MINUTE_MS);

    expect(between).toEqual({});
    expect((await onlyLoadBalancer()).loadBalancer.id).not.toBe(before);
    expect(await addressOf('web')).toMatch(/^203\./);
  });
});

describe('#2443, #2451: a change to loadBalancerIP has no effect', () => {
  test('moves the load balancer to that address, and deletes the previous one', async () => {
    await withWeb();
    const [before] = await fairway.floatingIps();
    const own = await fairway.network.floatingIps.create({ floating_network_id: before?.floating_network_id ?? '' });
    await fairway.clock.pass(11 * MINUTE_MS);
    await fairway.patch('web', { spec: { loadBalancerIP: own.floating_ip_address } });
    await fairway.clock.pass(MINUTE_MS);

    expect(await addressOf('web')).toBe(own.floating_ip_address);
    expect((await fairway.floatingIps()).map(({ id }) => id)).toEqual([own.id]);
  });
});

describe('#2698, #407, #1039, #573: members use an address from a different interface', () => {
  test('uses the member address in the nodes’ subnet, regardless of the order of networks', () => {
    const at = (addr: string) => [{ addr, version: 4 as const, 'OS-EXT-IPS:type': 'fixed' as const }];
    const server = { name: 'node-a', addresses: { 'a-storage': at('10.9.0.5'), nodes: at('10.1.0.5') } };
    const addresses = machineAddresses(server, { nodesCIDR: '10.1.0.0/24', clusterRanges: [] });
    const node = { name: 'node-a', labels: {}, taints: [], isDeleting: false };
    const internal = addresses.flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : []));

    const members = memberAddresses([{ ...node, addresses: internal }], { nodeSelector: new Map(), families: [4] });

    expect(members).toEqual([{ node: 'node-a', address: '10.1.0.5' }]);
  });
});
