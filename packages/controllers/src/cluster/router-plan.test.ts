import { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import { SecurityGroup } from '@fairway/openstack/types/security-group';
import { describe, expect, test } from 'vitest';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, ObservedNetwork } from './network-state.ts';
import { nodeRules } from './security-rules.ts';

const external = Network.parse({ id: 'ext', name: 'public', status: 'ACTIVE', 'router:external': true });
const second = { ...external, id: 'ext2' };
const network = Network.parse({ id: 'net', name: 'fairway-demo', status: 'ACTIVE' });
const subnetWith = (gateway_ip: string | null, dns_nameservers: string[] = []) =>
  Subnet.parse({
    id: 'sub',
    name: 'nodes',
    network_id: 'net',
    ip_version: 4,
    cidr: '10.0.0.0/24',
    gateway_ip,
    dns_nameservers,
  });
const routerWith = (id: string, networkID?: string) =>
  Router.parse({
    id,
    name: id,
    status: 'ACTIVE',
    external_gateway_info: networkID === undefined ? null : { network_id: networkID },
  });
const portOf = (device_id: string, ip_address: string) =>
  Port.parse({
    id: `port-${device_id}`,
    name: '',
    network_id: 'net',
    mac_address: '',
    status: 'ACTIVE',
    device_id,
    fixed_ips: [{ subnet_id: 'sub', ip_address }],
  });
const group = SecurityGroup.parse({
  id: 'grp',
  name: 'fairway-demo',
  security_group_rules: nodeRules({ groupID: 'grp', nodesCIDR: '10.0.0.0/24', publicNodePorts: false }).map(
    (rule, index) => ({ id: `rule${index}`, ...rule }),
  ),
});

const own = routerWith('own', 'ext');
const theirs = routerWith('theirs', 'ext');

type Gateway = Partial<DesiredNetwork['gateway']>;
interface World {
  readonly isGiven?: boolean;
  readonly gateway?: Gateway;
  readonly desired?: Partial<DesiredNetwork>;
  readonly subnet?: Subnet;
  readonly routers?: readonly Router[];
  readonly owned?: readonly Router[];
  readonly ports?: readonly Port[];
}

function plan({
  isGiven = false,
  gateway = {},
  desired = {},
  subnet = subnetWith('10.0.0.1'),
  routers = [own, theirs],
  owned = [own],
  ports = [portOf('own', '10.0.0.1')],
}: World) {
  const wanted: DesiredNetwork = {
    networkID: isGiven ? 'net' : undefined,
    subnetID: undefined,
    nodesCIDR: '10.0.0.0/24',
    dnsNameservers: [],
    gateway: { mode: 'Router', externalNetworkID: undefined, routerID: undefined, address: undefined, ...gateway },
    loadBalancersSubnetID: undefined,
    publicNodePorts: false,
    gatewayRequired: false,
    otherRanges: [],
    ...desired,
  };
  const observed: ObservedNetwork = {
    networks: [{ ...external, is_default: true }, second, network],
    subnets: [subnet],
    routers,
    routerPorts: ports,
    owned: {
      networks: isGiven ? [] : [network],
      subnets: isGiven ? [] : [subnet],
      routers: owned,
      securityGroups: [group],
    },
  };
  return planNetwork(wanted, observed);
}

const none: Gateway = { mode: 'None' };
const custom = (address?: string): Gateway => ({ mode: 'Custom', address });
const noRouter = { owned: [], ports: [] };
const theirsAttached = { owned: [], ports: [portOf('theirs', '10.0.0.1')] };

describe('the way out of a subnet of Fairway’s own follows the spec', () => {
  test.each<World & { to: string; steps: object[] }>([
    { to: 'what it is', steps: [] },
    { to: 'None: the router goes first', gateway: none, steps: [{ kind: 'deleteExtra', type: 'router', id: 'own' }] },
    { to: 'None: then the gateway', gateway: none, ...noRouter, steps: [{ kind: 'setGateway', address: null }] },
    { to: 'None: then nothing', gateway: none, ...noRouter, subnet: subnetWith(null), steps: [] },
    {
      to: 'None: a router of the tenant’s is let go of, and stays',
      gateway: none,
      ...theirsAttached,
      steps: [{ kind: 'detachRouter', routerID: 'theirs' }],
    },
    {
      to: 'None: a router that is attached for something else is left alone',
      gateway: none,
      owned: [],
      ports: [portOf('theirs', '10.0.0.200')],
      subnet: subnetWith(null),
      steps: [],
    },
    { to: 'Custom: the router goes first', gateway: custom('10.0.0.9'), steps: [{ kind: 'deleteExtra', id: 'own' }] },
    {
      to: 'Custom: then the subnet has its address',
      gateway: custom('10.0.0.9'),
      ...noRouter,
      steps: [{ kind: 'setGateway', address: '10.0.0.9' }],
    },
    { to: 'Custom: without one it stays', gateway: custom(), ...noRouter, steps: [] },
    {
      to: 'Router: a gateway is chosen first',
      ...noRouter,
      owned: [own],
      subnet: subnetWith(null),
      steps: [{ kind: 'setGateway', address: undefined }],
    },
    { to: 'Router: then the router has it', ...noRouter, owned: [own], steps: [{ kind: 'attachRouter' }] },
    {
      to: 'Router: a gateway that went missing comes back',
      subnet: subnetWith(null),
      steps: [{ kind: 'setGateway', address: '10.0.0.1' }],
    },
    {
      to: 'another router: Fairway’s own goes',
      gateway: { routerID: 'theirs' },
      steps: [{ kind: 'deleteExtra', id: 'own' }],
    },
    {
      to: 'another router: then it is attached',
      gateway: { routerID: 'theirs' },
      ...noRouter,
      steps: [{ kind: 'attachRouter', routerID: 'theirs' }],
    },
    {
      to: 'another router of the tenant’s',
      gateway: { routerID: 'other' },
      routers: [theirs, routerWith('other', 'ext')],
      ...theirsAttached,
      steps: [{ kind: 'detachRouter', routerID: 'theirs' }],
    },
    {
      to: 'another external network',
      gateway: { externalNetworkID: 'ext2' },
      steps: [{ kind: 'setExternalNetwork', externalNetworkID: 'ext2' }],
    },
    {
      to: 'an external network again',
      routers: [routerWith('own')],
      owned: [routerWith('own')],
      steps: [{ kind: 'setExternalNetwork', externalNetworkID: 'ext' }],
    },
    {
      to: 'other name servers',
      desired: { dnsNameservers: ['1.1.1.1'] },
      steps: [{ kind: 'updateSubnet', changes: { dns_nameservers: ['1.1.1.1'] } }],
    },
    {
      to: 'the cloud’s name servers',
      subnet: subnetWith('10.0.0.1', ['1.1.1.1']),
      steps: [{ kind: 'updateSubnet', changes: { dns_nameservers: [] } }],
    },
  ])('$to', ({ steps, ...world }) => {
    const planned = plan(world);

    expect(planned.problem).toBeUndefined();
    expect(planned.steps).toMatchObject(steps);
    expect(planned.steps).toHaveLength(steps.length);
  });
});

describe('a subnet of the tenant’s is never changed', () => {
  const given = { isGiven: true, owned: [], ports: [portOf('theirs', '10.0.0.1')] };

  test.each<World & { to: string; steps: object[] }>([
    { to: 'None', ...given, gateway: none, steps: [] },
    { to: 'Custom', ...given, gateway: custom('10.0.0.1'), steps: [] },
    { to: 'other name servers', ...given, subnet: subnetWith('10.0.0.1', ['9.9.9.9']), steps: [] },
    { to: 'None, where Fairway had made a router', ...given, owned: [own], gateway: none, steps: [{ id: 'own' }] },
  ])('$to', ({ steps, ...world }) => {
    const planned = plan(world);

    expect(planned.problem).toBeUndefined();
    expect(planned.steps).toMatchObject(steps);
    expect(planned.steps).toHaveLength(steps.length);
  });
});

describe('what does not fit is told, and nothing is done', () => {
  const given = { isGiven: true, owned: [], ports: [portOf('theirs', '10.0.0.1')] };
  const closed = { ...given, routers: [routerWith('theirs')] };
  const pods = { name: 'pod network', cidr: '10.0.0.0/16' };

  test.each<World & { reason: string; says: RegExp }>([
    {
      reason: 'GatewayMissing',
      ...closed,
      desired: { gatewayRequired: true },
      says: /router theirs has no external gateway; set it with `openstack router set/,
    },
    {
      reason: 'GatewayMissing',
      desired: { gatewayRequired: true },
      gateway: none,
      says: /mode: None: the plan requires a router/,
    },
    {
      reason: 'GatewayMissing',
      gateway: none,
      desired: { publicNodePorts: true },
      says: /pools have floating IPs that need router own, so it is retained/,
    },
    {
      reason: 'GatewayMissing',
      gateway: { routerID: 'theirs' },
      desired: { publicNodePorts: true },
      says: /need router own, so it is retained/,
    },
    {
      reason: 'GatewayMissing',
      ...given,
      gateway: { externalNetworkID: 'ext2' },
      says: /router theirs is connected to ext, and Fairway does not change/,
    },
    { reason: 'GatewayMissing', ...given, gateway: custom('10.0.0.9'), says: /has the gateway_ip 10\.0\.0\.1/ },
    {
      reason: 'GatewayMissing',
      ...given,
      gateway: custom(),
      subnet: subnetWith(null),
      says: /no gateway_ip; set it with `openstack subnet set --gateway ADDRESS sub`/,
    },
    {
      reason: 'GatewayMissing',
      gateway: custom(),
      ...noRouter,
      subnet: subnetWith(null),
      says: /no gateway_ip; specify the address of the gateway/,
    },
    {
      reason: 'RouterNotFound',
      ...given,
      gateway: { routerID: 'own' },
      says: /router own is not attached to subnet sub/,
    },
    {
      reason: 'SubnetNotFound',
      ...given,
      desired: { loadBalancersSubnetID: 'gone' },
      says: /loadBalancersSubnetID: network net has no subnet gone/,
    },
    {
      reason: 'AddressRangeOverlap',
      ...given,
      desired: { otherRanges: [pods] },
      says: /subnet sub has the range 10\.0\.0\.0\/24, which overlaps the pod network 10\.0\.0\.0\/16/,
    },
  ])('$reason: $says', ({ reason, says, ...world }) => {
    const planned = plan(world);

    expect(planned).toMatchObject({ ready: false, steps: [], problem: { reason } });
    expect(planned.problem?.message).toMatch(says);
  });
});
