import { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import { SecurityGroup } from '@fairway/openstack/types/security-group';
import { describe, expect, test } from 'vitest';
import { planNetwork } from './network-plan.ts';
import type { DesiredNetwork, ObservedNetwork } from './network-state.ts';
import { nodeRules } from './security-rules.ts';

const external = Network.parse({ id: 'ext', name: 'public', status: 'ACTIVE', 'router:external': true });
const network = Network.parse({ id: 'net', name: 'fairway-demo', status: 'ACTIVE' });
const subnet = Subnet.parse({
  id: 'sub',
  name: 'nodes',
  network_id: 'net',
  ip_version: 4,
  cidr: '10.0.0.0/24',
  gateway_ip: '10.0.0.1',
});
const router = Router.parse({
  id: 'rtr',
  name: 'fairway-demo',
  status: 'ACTIVE',
  external_gateway_info: { network_id: 'ext', external_fixed_ips: [{ ip_address: '203.0.113.7' }] },
});
const routerPort = Port.parse({
  id: 'prt',
  name: '',
  network_id: 'net',
  mac_address: '',
  status: 'ACTIVE',
  device_id: 'rtr',
  fixed_ips: [{ subnet_id: 'sub', ip_address: '10.0.0.1' }],
});
const rules = nodeRules({ groupID: 'grp', nodesCIDR: '10.0.0.0/24', publicNodePorts: false });
const group = SecurityGroup.parse({
  id: 'grp',
  name: 'fairway-demo',
  security_group_rules: rules.map((rule, index) => ({ id: `rule${index}`, ...rule })),
});

const desired: DesiredNetwork = {
  networkID: undefined,
  subnetID: undefined,
  nodesCIDR: '10.0.0.0/24',
  dnsNameservers: [],
  gateway: { mode: 'Router', externalNetworkID: undefined, routerID: undefined, address: undefined },
  loadBalancersSubnetID: undefined,
  publicNodePorts: false,
  gatewayRequired: false,
  otherRanges: [],
};
const nothing: ObservedNetwork = {
  networks: [external],
  subnets: [],
  routers: [],
  routerPorts: [],
  owned: { networks: [], subnets: [], routers: [], securityGroups: [] },
};
const completeNetwork: ObservedNetwork = {
  networks: [external, network],
  subnets: [subnet],
  routers: [router],
  routerPorts: [routerPort],
  owned: { networks: [network], subnets: [subnet], routers: [router], securityGroups: [group] },
};

describe('the cluster’s own network', () => {
  test.each([
    {
      stage: 'nothing exists: everything without dependencies is created immediately',
      observed: nothing,
      steps: ['createNetwork', 'createRouter', 'createSecurityGroup'],
    },
    {
      stage: 'the network exists',
      observed: { ...nothing, owned: { ...nothing.owned, networks: [network] } },
      steps: ['createSubnet', 'createRouter', 'createSecurityGroup'],
    },
    {
      stage: 'the cloud created it without port security, so servers with security groups would fail in it',
      observed: {
        ...completeNetwork,
        owned: { ...completeNetwork.owned, networks: [{ ...network, port_security_enabled: false }] },
      },
      steps: ['enablePortSecurity'],
    },
    {
      stage: 'the router is not attached yet',
      observed: { ...completeNetwork, routerPorts: [] },
      steps: ['attachRouter'],
    },
    {
      stage: 'the group has no rules yet',
      observed: {
        ...completeNetwork,
        owned: { ...completeNetwork.owned, securityGroups: [{ ...group, security_group_rules: [] }] },
      },
      steps: ['createRules'],
    },
    { stage: 'everything exists', observed: completeNetwork, steps: [] },
    {
      stage: 'a create request believed to be lost has left a second network',
      observed: {
        ...completeNetwork,
        owned: { ...completeNetwork.owned, networks: [network, { ...network, id: 'net2' }] },
      },
      steps: ['deleteExtra'],
    },
  ])('$stage', ({ observed, steps }) => {
    expect(planNetwork(desired, observed).steps.map(({ kind }) => kind)).toEqual(steps);
  });

  test('is ready, with all resolved facts, when nothing is left to do', () => {
    expect(planNetwork(desired, completeNetwork)).toEqual({
      steps: [],
      ready: true,
      nodesCanStart: true,
      resolved: {
        networkID: 'net',
        subnetID: 'sub',
        nodesCIDR: '10.0.0.0/24',
        routerID: 'rtr',
        externalNetworkID: 'ext',
        egressAddress: '203.0.113.7',
        securityGroupID: 'grp',
        loadBalancersSubnetID: 'sub',
      },
    });
  });

  test.each([
    { missing: 'the attachment of its router', observed: { ...completeNetwork, routerPorts: [] }, can: true },
    {
      missing: 'its router',
      observed: { ...completeNetwork, routers: [], routerPorts: [], owned: { ...completeNetwork.owned, routers: [] } },
      can: false,
    },
    {
      missing: 'the rules of its security group',
      observed: {
        ...completeNetwork,
        routerPorts: [],
        owned: { ...completeNetwork.owned, securityGroups: [{ ...group, security_group_rules: [] }] },
      },
      can: false,
    },
  ])('allows nodes to start without $missing: $can', ({ observed, can }) => {
    expect(planNetwork(desired, observed)).toMatchObject({ ready: false, nodesCanStart: can });
  });

  test.each([
    { mode: 'None' as const, address: undefined, gatewayIp: null },
    { mode: 'Custom' as const, address: '10.0.0.254', gatewayIp: '10.0.0.254' },
    { mode: 'Router' as const, address: undefined, gatewayIp: undefined },
  ])('gives its subnet the gateway for mode $mode', ({ mode, address, gatewayIp }) => {
    const observed = { ...nothing, owned: { ...nothing.owned, networks: [network] } };

    const { steps } = planNetwork({ ...desired, gateway: { ...desired.gateway, mode, address } }, observed);

    expect(steps[0]).toEqual({ kind: 'createSubnet', networkID: 'net', gatewayIp });
    expect(steps.some(({ kind }) => kind === 'createRouter')).toBe(mode === 'Router');
  });
});

describe('a network selected by the tenant', () => {
  const chosen = { ...desired, networkID: 'net' };
  const foreign: ObservedNetwork = { ...completeNetwork, owned: { ...nothing.owned, securityGroups: [group] } };

  test('is used with its only subnet and that subnet’s router; nothing is created', () => {
    const plan = planNetwork(chosen, foreign);

    expect(plan).toMatchObject({
      steps: [],
      ready: true,
      resolved: { networkID: 'net', subnetID: 'sub', routerID: 'rtr' },
    });
  });

  test('gets a router if its subnet has none', () => {
    const plan = planNetwork(chosen, { ...foreign, routers: [], routerPorts: [] });

    expect(plan.steps).toEqual([{ kind: 'createRouter', externalNetworkID: 'ext' }]);
  });

  test.each([
    { change: { networkID: 'gone' }, reason: 'NetworkNotFound', expectedMessage: 'no network gone' },
    { change: { subnetID: 'gone' }, reason: 'SubnetNotFound', expectedMessage: 'it has sub (nodes)' },
    {
      change: { gateway: { ...desired.gateway, routerID: 'gone' } },
      reason: 'RouterNotFound',
      expectedMessage: 'no router gone',
    },
  ])('is rejected with $reason if it does not fit: $expectedMessage', ({ change, reason, expectedMessage }) => {
    const plan = planNetwork({ ...chosen, ...change }, foreign);

    expect(plan.problem?.reason).toBe(reason);
    expect(plan.problem?.message).toContain(expectedMessage);
    expect(plan.steps).toEqual([]);
  });

  test('requires a subnet ID if it has two subnets', () => {
    const plan = planNetwork(chosen, { ...foreign, subnets: [subnet, { ...subnet, id: 'sub2' }] });

    expect(plan.problem?.message).toMatch(/several IPv4 subnets .*sub2.*specify one/);
  });
});

describe('the external network', () => {
  const second = { ...external, id: 'ext2' };

  test.each([
    { networks: [], expectedMessage: 'no external network' },
    { networks: [external, second], expectedMessage: 'several external networks and no default' },
  ])('must be unambiguous: $expectedMessage', ({ networks, expectedMessage }) => {
    expect(planNetwork(desired, { ...nothing, networks }).problem?.message).toContain(expectedMessage);
  });

  test('defaults to the cloud’s default if there are several', () => {
    const plan = planNetwork(desired, { ...nothing, networks: [external, { ...second, is_default: true }] });

    expect(plan.steps).toContainEqual({ kind: 'createRouter', externalNetworkID: 'ext2' });
  });
});

describe('security rules', () => {
  test('allow no traffic from outside the subnet unless nodes have floating IPs', () => {
    const open = nodeRules({ groupID: 'grp', nodesCIDR: '10.0.0.0/24', publicNodePorts: false }).filter(
      (rule) => rule.remote_ip_prefix === '0.0.0.0/0' || (!rule.remote_ip_prefix && !rule.remote_group_id),
    );

    expect(open).toEqual([]);
  });

  test('allow load balancers from a subnet of their own, to node ports only, as long as that subnet exists', () => {
    const foreignResource = Subnet.parse({ ...subnet, id: 'lbs', cidr: '10.0.9.0/24' });
    const requested = { ...desired, loadBalancersSubnetID: 'lbs' };
    const observed = { ...completeNetwork, subnets: [subnet, foreignResource] };

    const { steps } = planNetwork(requested, observed);

    const nodePorts = { remote_ip_prefix: '10.0.9.0/24', port_range_min: 30000, port_range_max: 32767 };
    expect(steps).toMatchObject([
      {
        kind: 'createRules',
        rules: [
          { protocol: 'tcp', ...nodePorts },
          { protocol: 'udp', ...nodePorts },
        ],
      },
    ]);
    const [step] = steps;
    const createdRules =
      step?.kind === 'createRules' ? step.rules.map((rule, index) => ({ id: `new${index}`, ...rule })) : [];
    const opened = SecurityGroup.parse({
      ...group,
      security_group_rules: [...group.security_group_rules, ...createdRules],
    });
    const after = { ...observed, owned: { ...observed.owned, securityGroups: [opened] } };
    expect(planNetwork(requested, after).steps).toEqual([]);
    expect(planNetwork(desired, after).steps).toMatchObject([{ kind: 'deleteRule', id: 'new0' }]);
  });

  test('are replaced when the pool’s floating IPs are enabled, and rules added by others remain', () => {
    const foreignResource = {
      ...group.security_group_rules[0],
      id: 'theirs',
      remote_group_id: 'other',
      description: 'ours',
    };
    const groupWithForeignRule = SecurityGroup.parse({
      ...group,
      security_group_rules: [...group.security_group_rules, foreignResource],
    });
    const observed = {
      ...completeNetwork,
      owned: { ...completeNetwork.owned, securityGroups: [groupWithForeignRule] },
    };

    const { steps } = planNetwork({ ...desired, publicNodePorts: true }, observed);

    expect(steps).toMatchObject([{ kind: 'createRules', rules: [{ protocol: 'tcp' }, { protocol: 'udp' }] }]);
    const [step] = steps;
    const createdRules =
      step?.kind === 'createRules' ? step.rules.map((rule, index) => ({ id: `new${index}`, ...rule })) : [];
    const opened = SecurityGroup.parse({
      ...group,
      security_group_rules: [...groupWithForeignRule.security_group_rules, ...createdRules],
    });
    const next = { ...observed, owned: { ...observed.owned, securityGroups: [opened] } };
    expect(planNetwork({ ...desired, publicNodePorts: true }, next).steps).toMatchObject([
      { kind: 'deleteRule', id: 'rule2' },
    ]);
  });
});
