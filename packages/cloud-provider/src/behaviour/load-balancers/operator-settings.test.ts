import { createForeignClient, share } from '@fairway/controllers/testing/foreign-client';
import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { settingsOf } from '../../load-balancers/cluster-settings.ts';
import { specFromService } from '../../load-balancers/spec-from-service.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';
import { aService, DNS, HTTP, SETTINGS } from '../../load-balancers/testing/services.ts';

const ID = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';
const OTHER_ID = '0cf8fcd5-65b6-4a0f-a1ad-0a7e8a5e2b9a';
const SUBNET = 'loadbalancer.openstack.org/floating-subnet';
const TAGS = 'loadbalancer.openstack.org/floating-subnet-tags';

/** What a Service gets with these operator settings in clouds.yaml. */
function specOf(written: object, ...service: Parameters<typeof aService>) {
  const network = { subnetID: 'nodes', externalNetworkID: 'external' };
  const cluster = { metadata: { name: 'demo' }, status: { network } } as Parameters<typeof settingsOf>[0];
  const settings = settingsOf(cluster, { loadBalancers: CloudLoadBalancers.parse(written) });
  if (settings === undefined) throw new Error('the cluster has a network');
  return specFromService(aService(...service), settings).balancerSpec;
}

describe('defaults for all Services of a cloud', () => {
  test('make Services internal, unless a Service overrides the setting', () => {
    expect(specOf({ internal: true }).floatingIP).toBeUndefined();
    expect(specOf({ internal: true }, {}, { internal: 'false' }).floatingIP).toBeDefined();
  });

  test('set the algorithm, except for OVN, which has its own algorithm', () => {
    const written = { lb_method: 'LEAST_CONNECTIONS' };

    expect(specOf(written).algorithm).toBe('LEAST_CONNECTIONS');
    expect(specOf(written, {}, { algorithm: 'SOURCE_IP' }).algorithm).toBe('SOURCE_IP');
    expect(specOf(written, {}, { provider: 'ovn' }).algorithm).toBe('SOURCE_IP_PORT');
  });

  test('set a certificate, unless a Service has its own, an empty reference, or a setting that excludes it', () => {
    const written = { default_tls_container_ref: 'https://barbican/v1/containers/all' };
    const of = (annotations: Parameters<typeof aService>[1]) =>
      specOf(written, {}, annotations).ports.map(({ listenerProtocol }) => listenerProtocol);

    expect(of({})).toEqual(['TERMINATED_HTTPS']);
    expect(of({ tlsContainerRef: '' })).toEqual(['TCP']);
    expect(of({ proxyProtocol: 'true' })).toEqual(['TCP']);
    expect(of({ provider: 'ovn' })).toEqual(['TCP']);
    expect(specOf(written, {}, { tlsContainerRef: 'https://barbican/v1/containers/own' }).tlsContainerRef).toBe(
      'https://barbican/v1/containers/own',
    );
  });

  test('set the intervals of monitors, and whether to create monitors', () => {
    const ports = { ports: [HTTP, DNS] };
    const monitors = (monitor: object, annotations = {}) =>
      specOf({ monitor }, ports, annotations).ports.map((port) => port.monitor?.delay);

    expect(monitors({ delay: 30 })).toEqual([30, undefined]);
    expect(monitors({ delay: 30, enabled: true })).toEqual([30, 30]);
    expect(monitors({ enabled: false })).toEqual([undefined, undefined]);
    expect(monitors({ enabled: false }, { monitor: 'true' })).toEqual([5, 5]);
  });
});

describe('cloud-provider-openstack’s settings', () => {
  const SUBNET_ID = { floating_subnet_id: ID };

  test.each<{ written: object; service?: Parameters<typeof aService>[1]; balancerSpec: object; reason?: string }>([
    { written: SUBNET_ID, balancerSpec: { floatingIP: { subnetID: ID, subnets: undefined } } },
    {
      written: { ...SUBNET_ID, floating_subnet: 'public-*' },
      balancerSpec: { floatingIP: { subnetID: ID, subnets: undefined } },
      reason: 'the id takes precedence',
    },
    {
      written: { floating_subnet: 'public-*', floating_subnet_tags: 'a' },
      balancerSpec: { floatingIP: { subnetID: undefined, subnets: { name: 'public-*', tags: 'a' } } },
    },
    {
      written: SUBNET_ID,
      service: { floatingSubnet: 'edge' },
      balancerSpec: { floatingIP: { subnetID: undefined, subnets: { name: 'edge' } } },
      reason: 'a Service overrides it',
    },
    {
      written: SUBNET_ID,
      service: { floatingNetworkID: OTHER_ID },
      balancerSpec: { floatingIP: { networkID: OTHER_ID, subnetID: undefined, subnets: undefined } },
      reason: 'another network has other subnets',
    },
    {
      written: { ...SUBNET_ID, classes: { gold: { floating_subnet_tags: 'gold' } } },
      service: { class: 'gold' },
      balancerSpec: { floatingIP: { subnetID: undefined, subnets: { tags: 'gold' } } },
    },
    {
      written: { node_selector: 'edge=true,gpu' },
      balancerSpec: {
        nodeSelector: new Map([
          ['edge', 'true'],
          ['gpu', null],
        ]),
      },
    },
    {
      written: { node_selector: 'edge=true' },
      service: { nodeSelector: 'gpu' },
      balancerSpec: { nodeSelector: new Map([['gpu', null]]) },
    },
    {
      written: { node_selector: 'edge=true' },
      service: { nodeSelector: '' },
      balancerSpec: { nodeSelector: new Map() },
      reason: 'a Service selects all nodes',
    },
    { written: { ingress_hostname_suffix: 'nip.io' }, balancerSpec: { hostnameSuffix: 'nip.io' } },
  ])('$written with $service: $reason', ({ written, service = {}, balancerSpec }) => {
    expect(specOf(written, {}, service)).toMatchObject(balancerSpec);
  });

  test('leaves the choice of subnet to Octavia if a network is specified without a subnet', () => {
    const { balancerSpec } = specFromService(aService(), { ...SETTINGS, subnetID: undefined, networkID: ID });

    expect(balancerSpec.vip).toMatchObject({ subnetID: undefined, networkID: ID });
    const own = specFromService(aService({}, { subnetID: OTHER_ID }), { ...SETTINGS, networkID: ID });
    expect(own.balancerSpec.vip).toMatchObject({ subnetID: OTHER_ID, networkID: undefined });
  });
});

describe('classes', () => {
  const written = {
    classes: {
      gold: { floating_network_id: ID, floating_subnet_tags: 'gold', network_id: OTHER_ID },
      inside: { subnet_id: ID, member_subnet_id: OTHER_ID },
    },
  };

  test('determine the networks of addresses', () => {
    const gold = specOf(written, {}, { class: 'gold', floatingNetworkID: OTHER_ID });

    expect(gold.floatingIP).toMatchObject({ networkID: ID, subnets: { tags: 'gold' } });
    expect(gold.vip).toMatchObject({ subnetID: undefined, networkID: OTHER_ID });
    expect(specOf(written, {}, { class: 'inside' })).toMatchObject({
      vip: { subnetID: ID },
      memberSubnetID: OTHER_ID,
      floatingIP: { networkID: 'external' },
    });
  });

  test('are refused if unknown, with the names of the existing classes', () => {
    expect(() => specOf(written, {}, { class: 'iron' })).toThrow(
      'annotation loadbalancer.openstack.org/class: class "iron" does not exist; available: gold, inside',
    );
  });

  test('are reported by name if one of their patterns is invalid', () => {
    const invalidSettings = { classes: { gold: { floating_subnet: '~(' } } };

    expect(() => specOf(invalidSettings, {}, { class: 'gold' })).toThrow(/^class gold: "~\(" is not a valid pattern/);
  });
});

describe('a cloud', () => {
  const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
  let fairway: LoadBalancedFairway;
  afterEach(() => fairway[Symbol.asyncDispose]());

  const readyOf = async (name: string) => (await fairway.get(name)).status?.conditions?.[0];

  test('keeps existing load balancers when its default provider changes', async () => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    await fairway.create('web');
    await fairway.clock.pass(60_000);
    const [before] = await fairway.trees();
    await fairway[Symbol.asyncDispose]();
    const loadBalancers = CloudLoadBalancers.parse({ provider: 'ovn' });
    fairway = await LoadBalancedFairway.start({ cloud: { latency }, loadBalancers });
    await fairway.create('web');
    await fairway.clock.pass(60_000);
    const [after] = await fairway.trees();
    await fairway.patch('web', { metadata: { annotations: { 'example.com/note': 'hello' } } });
    await fairway.clock.pass(60_000);

    expect(before?.loadBalancer.provider).toBe('amphora');
    expect(after?.loadBalancer.provider).toBe('ovn');
    expect(await fairway.trees()).toEqual([after]);
  });

  test('creates a load balancer step by step before serving it, if its providers cannot create it in one call', async () => {
    const loadBalancers = CloudLoadBalancers.parse({ serial_calls: true });
    fairway = await LoadBalancedFairway.start({ cloud: { latency }, loadBalancers });
    await fairway.create('web', { ports: [{ port: 80 }, { port: 81 }] });
    await fairway.clock.pass(10_000);
    const [first] = await fairway.trees();
    await fairway.clock.pass(11_000);
    const earlyService = await fairway.get('web');
    await fairway.clock.pass(60_000);
    const [last] = await fairway.trees();
    const { status } = await fairway.get('web');

    expect(first).toMatchObject({ loadBalancer: { provisioning_status: 'PENDING_CREATE' }, listeners: [], pools: [] });
    expect(earlyService.status?.loadBalancer?.ingress).toBeUndefined();
    expect(last?.listeners.map(({ protocol_port: port }) => port).toSorted()).toEqual([80, 81]);
    expect(last?.members.map((members) => members.length)).toEqual([2, 2]);
    expect(status?.loadBalancer?.ingress?.[0]?.ip).toMatch(/^203\./);
  });

  test.each([
    { provider: 'amphora', ready: 'False', reason: 'the zone does not exist' },
    { provider: 'ovn', ready: 'True', reason: 'OVN has no zones, so none is requested' },
  ])('creates load balancers of $provider in the specified zone: $reason', async ({ provider, ready }) => {
    const loadBalancers = CloudLoadBalancers.parse({ provider, availability_zone: 'nowhere' });
    fairway = await LoadBalancedFairway.start({ cloud: { latency }, loadBalancers });
    await fairway.create('web');
    await fairway.clock.pass(60_000);

    expect((await readyOf('web'))?.status).toBe(ready);
  });

  test('lets Octavia validate references if certificates are in a store other than Barbican', async () => {
    const written = { default_tls_container_ref: 'vault:all', container_store: 'external' };
    fairway = await LoadBalancedFairway.start({ cloud: { latency }, loadBalancers: CloudLoadBalancers.parse(written) });
    const calls = fairway.countCalls();
    await fairway.create('web');
    await fairway.clock.pass(10_000);

    expect(calls()['POST /loadbalancers']).toBeGreaterThan(0);
  });

  test('reports an external network whose subnets are not visible', async () => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    await fairway.create('web', {}, { [SUBNET]: '*' });
    await fairway.clock.pass(60_000);

    expect((await readyOf('web'))?.message).toMatch(/no subnets .* visible to this project; specify one by its ID/);
  });

  test.each<{ annotations: Record<string, string>; ready: 'True' | 'False' }>([
    { annotations: { [SUBNET]: 'no-*' }, ready: 'False' },
    { annotations: { [SUBNET]: '*' }, ready: 'True' },
    { annotations: { [TAGS]: 'gold' }, ready: 'False' },
    { annotations: { [TAGS]: '!gold' }, ready: 'True' },
  ])('assigns floating IPs from the subnets that $annotations select', async ({ annotations, ready }) => {
    fairway = await LoadBalancedFairway.start({ cloud: { latency } });
    const [external] = await Array.fromAsync(fairway.network.networks.list({ 'router:external': true }));
    const project = { cloud: fairway.fairway.cloud, projectID: await fairway.network.projectId() };
    await createForeignClient(
      fairway.fairway,
      (admin) => share(project, admin, 'network', external?.id ?? ''),
      'simulator-admin',
    );
    const calls = fairway.countCalls();
    await fairway.create('web', {}, annotations);
    await fairway.clock.pass(600_000);

    expect((await readyOf('web'))?.status).toBe(ready);
    expect(calls()['POST /floatingips'] ?? 0).toBe(ready === 'True' ? 1 : 0);
  });
});
