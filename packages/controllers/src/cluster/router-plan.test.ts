import { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import { SecurityGroup } from '@fairway/openstack/types/security-group';
import { describe, expect, test } from 'vitest';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, ObservedNetwork } from './network-state.ts';
import { nodeRules } from './security-rules.ts';

const external = Network.parse({ id: 'ext', name: 'public', status: 'ACTIVE', 'router:external': true });
const second = { ...external, id: 'ext2' };
const network = Network.parse({ id: 'net', name: 'fairway-demo', status: 'ACTIVE' });
const createSubnet = (gateway_ip: string | null, dns_nameservers: string[] = []) =>
  Subnet.parse({
    id: 'sub',
    name: 'nodes',
    network_id: 'net',
    ip_version: 4,
    cidr: '10.0.0.0/24',
    gateway_ip,
    dns_nameservers,
  });
const createRouter = (id: string, networkID?: string) =>
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

const own = createRouter('own', 'ext');
const foreignRouter = createRouter('theirs', 'ext');

type Gateway = Partial<DesiredNetwork['gateway']>;
interface RouterState {
  readonly isExisting?: boolean;
  readonly gateway?: Gateway;
  readonly desired?: Partial<DesiredNetwork>;
  readonly subnet?: Subnet;
  readonly routers?: readonly Router[];
  readonly owned?: readonly Router[];
  readonly ports?: readonly Port[];
}

function plan({
  isExisting = false,
  gateway = {},
  desired = {},
  subnet = createSubnet('10.0.0.1'),
  routers = [own, foreignRouter],
  owned = [own],
  ports = [portOf('own', '10.0.0.1')],
}: RouterState) {
  const desiredNetwork: DesiredNetwork = {
    networkID: isExisting ? 'net' : undefined,
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
      networks: isExisting ? [] : [network],
      subnets: isExisting ? [] : [subnet],
      routers: owned,
      securityGroups: [group],
    },
  };
  return planNetwork(desiredNetwork, observed);
}

const none: Gateway = { mode: 'None' };
const custom = (address?: string): Gateway => ({ mode: 'Custom', address });
const noRouter = { owned: [], ports: [] };
const foreignRouterAttached = { owned: [], ports: [portOf('theirs', '10.0.0.1')] };

describe('the external access of Fairway’s own subnet follows the spec', () => {
  test.each<RouterState & { to: string; steps: object[] }>([
    { to: 'no change', steps: [] },
    {
      to: 'None: the router is deleted first',
      gateway: none,
      steps: [{ kind: 'deleteExtra', type: 'router', id: 'own' }],
    },
    {
      to: 'None: then the gateway is removed',
      gateway: none,
      ...noRouter,
      steps: [{ kind: 'setGateway', address: null }],
    },
    { to: 'None: then nothing is left to do', gateway: none, ...noRouter, subnet: createSubnet(null), steps: [] },
    {
      to: 'None: a router of the tenant’s is detached and kept',
      gateway: none,
      ...foreignRouterAttached,
      steps: [{ kind: 'detachRouter', routerID: 'theirs' }],
    },
    {
      to: 'None: a router that is attached for another purpose is left alone',
      gateway: none,
      owned: [],
      ports: [portOf('theirs', '10.0.0.200')],
      subnet: createSubnet(null),
      steps: [],
    },
    {
      to: 'Custom: the router is deleted first',
      gateway: custom('10.0.0.9'),
      steps: [{ kind: 'deleteExtra', id: 'own' }],
    },
    {
      to: 'Custom: then the subnet gets the address',
      gateway: custom('10.0.0.9'),
      ...noRouter,
      steps: [{ kind: 'setGateway', address: '10.0.0.9' }],
    },
    { to: 'Custom: without an address, the gateway stays', gateway: custom(), ...noRouter, steps: [] },
    {
      to: 'Router: a gateway is chosen first',
      ...noRouter,
      owned: [own],
      subnet: createSubnet(null),
      steps: [{ kind: 'setGateway', address: undefined }],
    },
    { to: 'Router: then the router is attached', ...noRouter, owned: [own], steps: [{ kind: 'attachRouter' }] },
    {
      to: 'Router: a missing gateway is restored',
      subnet: createSubnet(null),
      steps: [{ kind: 'setGateway', address: '10.0.0.1' }],
    },
    {
      to: 'another router: Fairway’s own is deleted',
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
      routers: [foreignRouter, createRouter('other', 'ext')],
      ...foreignRouterAttached,
      steps: [{ kind: 'detachRouter', routerID: 'theirs' }],
    },
    {
      to: 'another external network',
      gateway: { externalNetworkID: 'ext2' },
      steps: [{ kind: 'setExternalNetwork', externalNetworkID: 'ext2' }],
    },
    {
      to: 'an external network again',
      routers: [createRouter('own')],
      owned: [createRouter('own')],
      steps: [{ kind: 'setExternalNetwork', externalNetworkID: 'ext' }],
    },
    {
      to: 'other name servers',
      desired: { dnsNameservers: ['1.1.1.1'] },
      steps: [{ kind: 'updateSubnet', changes: { dns_nameservers: ['1.1.1.1'] } }],
    },
    {
      to: 'the cloud’s name servers',
      subnet: createSubnet('10.0.0.1', ['1.1.1.1']),
      steps: [{ kind: 'updateSubnet', changes: { dns_nameservers: [] } }],
    },
  ])('$to', ({ steps, ...state }) => {
    const planned = plan(state);

    expect(planned.problem).toBeUndefined();
    expect(planned.steps).toMatchObject(steps);
    expect(planned.steps).toHaveLength(steps.length);
  });
});

describe('an existing subnet is never changed', () => {
  const existing = { isExisting: true, owned: [], ports: [portOf('theirs', '10.0.0.1')] };

  test.each<RouterState & { to: string; steps: object[] }>([
    { to: 'None', ...existing, gateway: none, steps: [] },
    { to: 'Custom', ...existing, gateway: custom('10.0.0.1'), steps: [] },
    { to: 'other name servers', ...existing, subnet: createSubnet('10.0.0.1', ['9.9.9.9']), steps: [] },
    { to: 'None, if Fairway had created a router', ...existing, owned: [own], gateway: none, steps: [{ id: 'own' }] },
  ])('$to', ({ steps, ...state }) => {
    const planned = plan(state);

    expect(planned.problem).toBeUndefined();
    expect(planned.steps).toMatchObject(steps);
    expect(planned.steps).toHaveLength(steps.length);
  });
});

describe('a configuration that does not fit is reported, and nothing is changed', () => {
  const existing = { isExisting: true, owned: [], ports: [portOf('theirs', '10.0.0.1')] };
  const closed = { ...existing, routers: [createRouter('theirs')] };
  const pods = { name: 'pod network', cidr: '10.0.0.0/16' };

  test.each<RouterState & { reason: string; expectedMessage: RegExp }>([
    {
      reason: 'GatewayMissing',
      ...closed,
      desired: { gatewayRequired: true },
      expectedMessage: /router theirs has no external gateway; set it with `openstack router set/,
    },
    {
      reason: 'GatewayMissing',
      desired: { gatewayRequired: true },
      gateway: none,
      expectedMessage: /mode: None: the plan requires a router/,
    },
    {
      reason: 'GatewayMissing',
      gateway: none,
      desired: { publicNodePorts: true },
      expectedMessage: /pools have floating IPs that need router own, so it is retained/,
    },
    {
      reason: 'GatewayMissing',
      gateway: { routerID: 'theirs' },
      desired: { publicNodePorts: true },
      expectedMessage: /need router own, so it is retained/,
    },
    {
      reason: 'GatewayMissing',
      ...existing,
      gateway: { externalNetworkID: 'ext2' },
      expectedMessage: /router theirs is connected to ext, and Fairway does not change/,
    },
    {
      reason: 'GatewayMissing',
      ...existing,
      gateway: custom('10.0.0.9'),
      expectedMessage: /has the gateway_ip 10\.0\.0\.1/,
    },
    {
      reason: 'GatewayMissing',
      ...existing,
      gateway: custom(),
      subnet: createSubnet(null),
      expectedMessage: /no gateway_ip; set it with `openstack subnet set --gateway ADDRESS sub`/,
    },
    {
      reason: 'GatewayMissing',
      gateway: custom(),
      ...noRouter,
      subnet: createSubnet(null),
      expectedMessage: /no gateway_ip; specify the address of the gateway/,
    },
    {
      reason: 'RouterNotFound',
      ...existing,
      gateway: { routerID: 'own' },
      expectedMessage: /router own is not attached to subnet sub/,
    },
    {
      reason: 'SubnetNotFound',
      ...existing,
      desired: { loadBalancersSubnetID: 'gone' },
      expectedMessage: /loadBalancersSubnetID: network net has no subnet gone/,
    },
    {
      reason: 'AddressRangeOverlap',
      ...existing,
      desired: { otherRanges: [pods] },
      expectedMessage: /subnet sub has the range 10\.0\.0\.0\/24, which overlaps the pod network 10\.0\.0\.0\/16/,
    },
  ])('$reason: $expectedMessage', ({ reason, expectedMessage, ...state }) => {
    const planned = plan(state);

    expect(planned).toMatchObject({ ready: false, steps: [], problem: { reason } });
    expect(planned.problem?.message).toMatch(expectedMessage);
  });
});
