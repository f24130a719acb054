import { describe, expect, it } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { Cluster, NewCluster } from '../kinds/cluster.ts';
import type { NewNodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool, aPlan } from '../testing/objects.ts';
import { admitCluster } from './admit-cluster.ts';
import { admitNodePool } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const subnet = (digit: string, networkID: string, cidr: string, more = {}) => {
  return { id: id(digit), name: `s${digit}`, networkID, cidr, ipVersion: 4 as const, ...more };
};

const PRIVATE_NETWORK = id('a');
const OPEN_NETWORK = id('e');
const PUBLIC_NETWORK = id('b');
const OTHER_PUBLIC_NETWORK = id('c');

const catalogue: CloudCatalogue = {
  flavors: [{ id: id('f'), name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 }],
  networks: [
    { id: PRIVATE_NETWORK, name: 'private', isExternal: false },
    { id: OPEN_NETWORK, name: 'open', isExternal: false, hasPortSecurity: false },
    { id: PUBLIC_NETWORK, name: 'public', isExternal: true },
    { id: OTHER_PUBLIC_NETWORK, name: 'other-public', isExternal: true },
  ],
  subnets: [
    subnet('1', PRIVATE_NETWORK, '192.168.0.0/28', { gatewayIP: '192.168.0.1' }),
    subnet('2', PRIVATE_NETWORK, '192.168.1.0/24', { gatewayIP: null }),
    subnet('3', PRIVATE_NETWORK, '10.2.9.0/24', { gatewayIP: '10.2.9.1' }),
    subnet('4', PRIVATE_NETWORK, '192.168.2.0/24', {
      gatewayIP: '192.168.2.1',
      allocationPools: [{ start: '192.168.2.10', end: '192.168.2.14' }],
    }),
    subnet('5', id('d'), '10.70.0.0/16'),
    subnet('0', OPEN_NETWORK, '10.71.0.0/16', { gatewayIP: '10.71.0.1' }),
  ],
  routers: [
    { id: id('6'), name: 'out', externalNetworkID: PUBLIC_NETWORK, subnetIDs: [id('1')] },
    { id: id('7'), name: 'nowhere', externalNetworkID: null, subnetIDs: [id('4')] },
    { id: id('8'), name: 'wide', externalNetworkID: PUBLIC_NETWORK, subnetIDs: [id('5')] },
    { id: id('9'), name: 'untold' },
  ],
};

interface Case {
  readonly spec: NewCluster['spec'];
  readonly old?: Cluster;
  readonly pools?: ReturnType<typeof aNodePool>[];
}

function errorsOf({ spec, old, pools = [], offer = catalogue }: Case & { readonly offer?: CloudCatalogue }) {
  const cluster = { ...aCluster(spec), ...(old?.status && { status: old.status }) };
  const facts = {
    plans: SHIPPED_PLANS,
    releases: SHIPPED_RELEASES,
    nowMs: Date.UTC(2026, 10, 22),
    catalogue: offer,
    others: [],
    pools,
  };
  return admitCluster({ cluster, old, ...facts });
}

const existingNetwork = (digit: string, network: NewCluster['spec']['network'] = {}) => ({
  networkID: PRIVATE_NETWORK,
  subnetID: id(digit),
  ...network,
});
const router = (digit: string) => ({ gateway: { routerID: id(digit) } });
const floating = aNodePool({ floatingIPs: { enabled: true } }, { name: 'web' });
const GATEWAY = 'spec.network.gateway';

describe('a network without port security', () => {
  it('refuses a new cluster, and says how to enable port security', () => {
    expect(errorsOf({ spec: { network: { networkID: OPEN_NETWORK } } })).toEqual([
      expect.objectContaining({
        field: 'spec.network.networkID',
        detail: expect.stringContaining(
          `enable it with \`openstack network set --enable-port-security ${OPEN_NETWORK}\``,
        ),
      }),
    ]);
  });

  it('accepts an existing cluster in the network', () => {
    const network = { networkID: OPEN_NETWORK };
    expect(errorsOf({ spec: { network }, old: aCluster({ network }) })).toEqual([]);
  });
});

describe('spec.network.gateway', () => {
  it.each<Case>([
    { spec: { network: { gateway: { mode: 'Custom', address: '10.100.0.9' }, nodesCIDR: '10.100.0.0/24' } } },
    { spec: { network: { gateway: { mode: 'Custom' } } } },
    { spec: { network: existingNetwork('1', { gateway: { mode: 'Custom', address: '192.168.0.1' } }) } },
    { spec: { network: existingNetwork('2', { gateway: { mode: 'None' } }) } },
    { spec: { network: existingNetwork('1', router('6')) } },
    { spec: { network: existingNetwork('4', router('7')) } },
    { spec: { network: { ...router('9'), nodesCIDR: '10.70.0.0/24' } } },
    { spec: { plan: 'standard', network: existingNetwork('1') } },
    {
      spec: { network: existingNetwork('1', { gateway: { mode: 'None' } }) },
      old: aCluster({ network: existingNetwork('1') }),
    },
    {
      spec: { network: existingNetwork('4', router('7')), image: 'new' },
      old: aCluster({ plan: 'standard', network: existingNetwork('4', router('7')) }),
    },
  ])('accepts $spec.network', (each) => {
    expect(errorsOf(each).filter(({ field }) => field.startsWith('spec.network'))).toEqual([]);
  });

  it.each<Case & { field: string; detail: string }>([
    {
      spec: { network: { gateway: { mode: 'Custom', address: '10.9.9.9' }, nodesCIDR: '10.100.0.0/24' } },
      field: `${GATEWAY}.address`,
      detail: "is outside the nodes' CIDR 10.100.0.0/24",
    },
    {
      spec: { network: { gateway: { mode: 'Custom', address: '10.100.0.0' }, nodesCIDR: '10.100.0.0/24' } },
      field: `${GATEWAY}.address`,
      detail: 'is the network address',
    },
    {
      spec: { network: { gateway: { mode: 'Custom', address: '10.100.0.255' }, nodesCIDR: '10.100.0.0/24' } },
      field: `${GATEWAY}.address`,
      detail: 'is the broadcast address',
    },
    {
      spec: { network: { gateway: { mode: 'Custom', address: '10.9.9.9' }, nodesCIDR: '10.100.0.0/24' } },
      old: aCluster({ network: { gateway: { mode: 'Custom' }, nodesCIDR: '10.100.0.0/24' } }),
      field: `${GATEWAY}.address`,
      detail: 'is outside',
    },
    {
      spec: { network: existingNetwork('1', { gateway: { mode: 'Custom', address: '192.168.0.9' } }) },
      field: `${GATEWAY}.address`,
      detail: `which is 192.168.0.1 for subnet ${id('1')}: set it with \`openstack subnet set --gateway ADDRESS ${id('1')}\``,
    },
    {
      spec: { network: existingNetwork('2', { gateway: { mode: 'Custom', address: '192.168.1.1' } }) },
      field: `${GATEWAY}.address`,
      detail: 'has no gateway_ip',
    },
    {
      spec: { network: existingNetwork('2', { gateway: { mode: 'Custom' } }) },
      field: `${GATEWAY}.mode`,
      detail: 'has no gateway_ip',
    },
    {
      spec: { network: existingNetwork('2', router('6')) },
      field: `${GATEWAY}.routerID`,
      detail: `openstack router add subnet ${id('6')} ${id('2')}`,
    },
    {
      spec: { network: { ...router('8'), nodesCIDR: '10.70.5.0/24' } },
      field: `${GATEWAY}.routerID`,
      detail: "(10.70.0.0/16), which overlaps the nodes' CIDR 10.70.5.0/24",
    },
    {
      spec: { plan: 'standard', network: existingNetwork('4', router('7')) },
      field: `${GATEWAY}.routerID`,
      detail: `openstack router set --external-gateway NETWORK ${id('7')}`,
    },
    {
      spec: { plan: 'standard', network: existingNetwork('4') },
      field: `${GATEWAY}.mode`,
      detail: 'plan "standard" requires a router to the Internet',
    },
    {
      spec: { network: existingNetwork('4') },
      pools: [floating],
      field: `${GATEWAY}.mode`,
      detail: 'node pool "web" has floating IPs',
    },
    {
      spec: { network: existingNetwork('1', { gateway: { externalNetworkID: OTHER_PUBLIC_NETWORK } }) },
      field: `${GATEWAY}.externalNetworkID`,
      detail: `is connected to external network ${PUBLIC_NETWORK}`,
    },
    {
      spec: { network: { gateway: { mode: 'None' } } },
      old: aCluster(),
      pools: [floating],
      field: `${GATEWAY}.mode`,
      detail: 'node pool "web" of the cluster has floating IPs',
    },
    {
      spec: { network: { gateway: { externalNetworkID: OTHER_PUBLIC_NETWORK } } },
      old: { ...aCluster(), status: { network: { routerID: id('6'), externalNetworkID: PUBLIC_NETWORK } } },
      pools: [floating],
      field: `${GATEWAY}.externalNetworkID`,
      detail: 'node pool "web" has floating IPs',
    },
    {
      spec: { network: router('8') },
      old: { ...aCluster(), status: { network: { routerID: id('6'), externalNetworkID: PUBLIC_NETWORK } } },
      pools: [floating],
      field: `${GATEWAY}.routerID`,
      detail: 'disable them in the pool first',
    },
  ])('refuses $spec.network: $detail', ({ field, detail, ...each }) => {
    expect(errorsOf(each)).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });

  it('accepts the router and external network already in use, with floating IPs', () => {
    const status = { network: { routerID: id('6'), externalNetworkID: PUBLIC_NETWORK } };
    const gateway = { routerID: id('6') };
    expect(errorsOf({ spec: { network: { gateway } }, old: { ...aCluster(), status }, pools: [floating] })).toEqual([]);
  });
});

describe('loadBalancersSubnetID', () => {
  it.each<Case & { reason: string; errors: object[] }>([
    {
      reason: 'accepts a subnet that is not the subnet of the nodes',
      spec: { network: existingNetwork('1', { loadBalancersSubnetID: id('2') }) },
      errors: [],
    },
    {
      reason: 'accepts the subnet of the nodes',
      spec: { network: existingNetwork('1', { loadBalancersSubnetID: id('1') }) },
      errors: [],
    },
    {
      reason: 'refuses a subnet within the range of the pods',
      spec: { network: existingNetwork('1', { loadBalancersSubnetID: id('3') }) },
      errors: [
        {
          field: 'spec.network.loadBalancersSubnetID',
          detail: expect.stringContaining('10.2.9.0/24 overlaps the pod network 10.2.0.0/16'),
        },
      ],
    },
    {
      reason: 'refuses a change to a subnet within the range of the pods',
      spec: { network: existingNetwork('1', { loadBalancersSubnetID: id('3') }) },
      old: aCluster({ network: existingNetwork('1') }),
      errors: [{ field: 'spec.network.loadBalancersSubnetID' }],
    },
    {
      reason: 'accepts a stored subnet within the range of the pods',
      spec: { network: existingNetwork('1', { loadBalancersSubnetID: id('3') }) },
      old: aCluster({ network: existingNetwork('1', { loadBalancersSubnetID: id('3') }) }),
      errors: [],
    },
  ])('$reason', ({ errors, ...each }) => {
    const found = errorsOf(each);
    expect(found).toMatchObject(errors);
    expect(found).toHaveLength(errors.length);
  });
});

describe('a load balancer subnet without a router', () => {
  const [externalRouter, isolatedRouter, ...others] = catalogue.routers ?? [];
  const isShared = (shared: boolean) => (catalogue.networks ?? []).map((network) => ({ ...network, isShared: shared }));
  const known = {
    ...catalogue,
    networks: isShared(false),
    routers: [externalRouter, isolatedRouter].flatMap((each) => each ?? []),
  };
  const attachedNetwork = (more: NewCluster['spec']['network'] = {}) => ({
    network: existingNetwork('1', { loadBalancersSubnetID: id('2'), ...more }),
  });

  it('refuses the subnet, and says how to attach a router', () => {
    expect(errorsOf({ spec: attachedNetwork(), offer: known })).toEqual([
      expect.objectContaining({
        field: 'spec.network.loadBalancersSubnetID',
        value: id('2'),
        detail: expect.stringContaining(`openstack router add subnet ROUTER ${id('2')}`),
      }),
    ]);
  });

  it('refuses the subnet if its router has no external gateway', () => {
    const spec = attachedNetwork({ loadBalancersSubnetID: id('4') });
    expect(errorsOf({ spec, offer: known })).toMatchObject([{ field: 'spec.network.loadBalancersSubnetID' }]);
  });

  it.each([
    {
      reason: 'the cluster has no public addresses',
      spec: attachedNetwork({ gateway: { mode: 'None' } }),
      offer: known,
    },
    {
      reason: 'it is also the subnet of the nodes',
      spec: { network: existingNetwork('2', { loadBalancersSubnetID: id('2') }) },
      offer: known,
    },
    {
      reason: 'its network is shared with other projects',
      spec: attachedNetwork(),
      offer: { ...known, networks: isShared(true) },
    },
    {
      reason: 'some routers are not visible',
      spec: attachedNetwork(),
      offer: { ...known, routers: [...known.routers, ...others] },
    },
    { reason: 'the routers are unknown', spec: attachedNetwork(), offer: { ...known, routers: undefined } },
    { reason: 'the subnet is already stored', spec: attachedNetwork(), offer: known, old: aCluster(attachedNetwork()) },
  ])('accepts the subnet if $reason', ({ offer, ...each }) => {
    const { routers, ...rest } = offer;

    expect(errorsOf({ ...each, offer: { ...rest, ...(routers && { routers }) } })).toEqual([]);
  });
});

describe('the address capacity for nodes', () => {
  const smallNetwork = { network: { nodesCIDR: '192.168.0.0/28' } };

  function poolErrors(
    spec: Partial<NewNodePool['spec']>,
    cluster: NewCluster['spec'],
    more: { old?: Partial<NewNodePool['spec']>; others?: ReturnType<typeof aNodePool>[] } = {},
  ) {
    return admitNodePool({
      pool: aNodePool(spec),
      old: more.old && aNodePool(more.old),
      clusters: [aCluster(cluster)],
      others: more.others ?? [],
      plans: SHIPPED_PLANS,
      catalogue,
      nowMs: Date.UTC(2026, 10, 22),
    });
  }

  it.each<{ reason: string; replicas: number; cluster: NewCluster['spec']; expectedMessage?: string }>([
    { reason: 'accepts ten nodes in a /28', replicas: 10, cluster: smallNetwork },
    {
      reason: 'refuses twenty nodes in a /28',
      replicas: 20,
      cluster: smallNetwork,
      expectedMessage:
        "the nodes' CIDR 192.168.0.0/28 has room for 10 nodes, but the pools of the cluster have 20: ask for at most 10 here, or create a cluster with a larger spec.network.nodesCIDR",
    },
    {
      reason: 'counts an address for each surge node',
      replicas: 10,
      cluster: { ...smallNetwork, plan: 'standard' },
      expectedMessage: 'have 10, and 1 more during updates: ask for at most 9',
    },
    {
      reason: 'counts the addresses of an existing /28 subnet',
      replicas: 11,
      cluster: { network: existingNetwork('1') },
      expectedMessage: "the nodes' subnet 192.168.0.0/28",
    },
    {
      reason: 'counts only the addresses in allocation pools',
      replicas: 3,
      cluster: { network: existingNetwork('4') },
      expectedMessage: 'has room for 2 nodes',
    },
    {
      reason: 'reserves no addresses if load balancers use another subnet',
      replicas: 3,
      cluster: { network: existingNetwork('4', { loadBalancersSubnetID: id('2') }) },
    },
    {
      reason: 'refuses 256 nodes and a surge node with a /16 for pods',
      replicas: 256,
      cluster: { plan: 'standard', podCIDR: '10.16.0.0/16' },
      expectedMessage:
        "the pods' CIDR 10.16.0.0/16, of which each node gets a /24, has room for 256 nodes, but the pools of the cluster have 256, and 1 more",
    },
    {
      reason: 'accepts 255 nodes and a surge node with a /16 for pods',
      replicas: 255,
      cluster: { plan: 'standard', podCIDR: '10.16.0.0/16' },
    },
  ])('$reason', ({ replicas, cluster, expectedMessage }) => {
    const errors = poolErrors({ replicas }, cluster);
    expect(errors.map(({ field }) => field)).toEqual(expectedMessage === undefined ? [] : ['spec.replicas']);
    expect(errors.map(({ detail }) => detail).join('\n')).toContain(expectedMessage ?? '');
  });

  it("is shared by the cluster's pools, but never prevents a pool from shrinking", () => {
    const others = [aNodePool({ replicas: 8 }, { name: 'other' })];

    expect(poolErrors({ replicas: 2 }, smallNetwork, { others })).toEqual([]);
    expect(poolErrors({ replicas: 3 }, smallNetwork, { others })).toMatchObject([
      { detail: expect.stringContaining('ask for at most 2 here, scale other pools down, or') },
    ]);
    expect(poolErrors({ replicas: 15 }, smallNetwork, { others, old: { replicas: 16 } })).toEqual([]);
  });

  it("must be enough for a new cluster's existing pools", () => {
    const pools = [aNodePool({ replicas: 11 })];

    expect(errorsOf({ spec: smallNetwork, pools })).toMatchObject([
      { field: 'spec.network.nodesCIDR', detail: expect.stringContaining('has room for 10 nodes') },
    ]);
    expect(errorsOf({ spec: { network: existingNetwork('1') }, pools })).toMatchObject([
      { field: 'spec.network.subnetID' },
    ]);
    expect(errorsOf({ spec: smallNetwork, pools, old: aCluster(smallNetwork) })).toEqual([]);
  });

  it('requires a router with an external gateway for floating IPs', () => {
    const floatingIPs = { enabled: true };

    expect(poolErrors({ floatingIPs }, { network: existingNetwork('1') })).toEqual([]);
    expect(poolErrors({ floatingIPs }, { network: existingNetwork('4') })).toMatchObject([
      { field: 'spec.floatingIPs.enabled', detail: expect.stringContaining('has no external gateway') },
    ]);
    expect(poolErrors({ floatingIPs }, { network: existingNetwork('4') }, { old: { floatingIPs } })).toEqual([]);
  });
});

describe('boot volumes', () => {
  const pool = (old?: object) => ({
    pool: aNodePool({ rootVolume: { sizeGiB: 50, type: 'fast' } }),
    old: old && aNodePool(old),
    clusters: [aCluster()],
    others: [],
    plans: SHIPPED_PLANS,
    nowMs: Date.UTC(2026, 10, 22),
  });

  it("requires Cinder for boot volumes if the cloud's services are known", () => {
    expect(admitNodePool({ ...pool(), catalogue: { hasVolumes: false } })).toMatchObject([
      { field: 'spec.rootVolume', detail: expect.stringContaining('has no volume service (Cinder)') },
    ]);
    expect(admitNodePool({ ...pool(), catalogue: { hasVolumes: true } })).toEqual([]);
    expect(admitNodePool({ ...pool(), catalogue: {} })).toEqual([]);
    expect(admitNodePool({ ...pool({ rootVolume: { sizeGiB: 40 } }), catalogue: { hasVolumes: false } })).toEqual([]);
  });
});

describe('an IPv6 subnet', () => {
  const IPV6_SUBNET = { ...subnet('6', PRIVATE_NETWORK, 'fd00::/64'), ipVersion: 6 as const };
  const offer = { ...catalogue, subnets: [...(catalogue.subnets ?? []), IPV6_SUBNET] };
  const plan = aPlan();
  const limited = aPlan({
    network: { ...plan.spec.network, ipFamilies: ['IPv4'] },
    limitNotes: [{ limit: 'network.ipFamilies', value: 'IPv6', enforcement: 'Refuse', reason: 'routers lack it' }],
  });

  it.each([
    { plan, detail: 'is an IPv6 subnet, but nodes need IPv4: choose an IPv4 subnet of the network' },
    {
      plan: limited,
      detail:
        'is an IPv6 subnet, but nodes need IPv4: choose an IPv4 subnet of the network. Plan "free" only allows IPv4 clusters. Routers lack it',
    },
  ])('is refused: $detail', ({ plan: each, detail }) => {
    const errors = admitCluster({
      cluster: aCluster({ network: { networkID: PRIVATE_NETWORK, subnetID: IPV6_SUBNET.id } }),
      old: undefined,
      plans: [each],
      releases: SHIPPED_RELEASES,
      nowMs: Date.UTC(2026, 10, 22),
      catalogue: offer,
      others: [],
      pools: [],
    });

    expect(errors).toEqual([
      { type: 'FieldValueInvalid', field: 'spec.network.subnetID', value: IPV6_SUBNET.id, detail },
    ]);
  });
});
