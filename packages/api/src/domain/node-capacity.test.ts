import { describe, expect, it } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { NewCluster } from '../kinds/cluster.ts';
import type { NewNodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { type NodeSubnet, nodeCapacities, nodesOfPodRange, nodesOfSubnet, requestedNodes } from './node-capacity.ts';

const free = SHIPPED_PLANS.find(({ metadata }) => metadata.name === 'free') as Plan;
const standard = SHIPPED_PLANS.find(({ metadata }) => metadata.name === 'standard') as Plan;

describe('nodesOfPodRange', () => {
  it.each([
    ['10.2.0.0/16', 256],
    ['10.240.0.0/13', 2048],
    ['10.2.0.0/24', 1],
    ['10.2.0.0/28', 1],
    ['nonsense', Number.POSITIVE_INFINITY],
  ])('%s: %d', (cidr, nodes) => {
    expect(nodesOfPodRange(cidr)).toBe(nodes);
  });
});

describe('nodesOfSubnet', () => {
  it.each<{ reason: string; subnet: NodeSubnet; nodes: number }>([
    {
      reason: '16 minus network, broadcast, gateway, two DHCP ports and one load balancer',
      subnet: { cidr: '192.168.0.0/28', gatewayIP: '192.168.0.1', hasLoadBalancers: true },
      nodes: 10,
    },
    {
      reason: 'load balancers in another subnet',
      subnet: { cidr: '192.168.0.0/28', gatewayIP: '192.168.0.1', hasLoadBalancers: false },
      nodes: 11,
    },
    {
      reason: 'a subnet without a gateway',
      subnet: { cidr: '192.168.0.0/28', gatewayIP: null, hasLoadBalancers: false },
      nodes: 12,
    },
    {
      reason: 'at most 16 addresses for load balancers',
      subnet: { cidr: '10.0.0.0/16', gatewayIP: '10.0.0.1', hasLoadBalancers: true },
      nodes: 65_515,
    },
    {
      reason: 'only addresses in allocation pools',
      subnet: {
        cidr: '10.0.0.0/16',
        gatewayIP: '10.0.0.1',
        allocationPools: [
          { start: '10.0.0.10', end: '10.0.0.14' },
          { start: '10.0.1.0', end: '10.0.1.9' },
        ],
        hasLoadBalancers: false,
      },
      nodes: 13,
    },
    { reason: 'never negative', subnet: { cidr: '10.0.0.0/31', hasLoadBalancers: true }, nodes: 0 },
    {
      reason: 'an IPv6 range sets no limit',
      subnet: { cidr: 'fd00::/64', hasLoadBalancers: true },
      nodes: Number.POSITIVE_INFINITY,
    },
  ])('$reason: $nodes', ({ subnet, nodes }) => {
    expect(nodesOfSubnet(subnet)).toBe(nodes);
  });
});

describe('requestedNodes', () => {
  const rolling = { type: 'Rolling', maxSurge: 2 } as const;

  it.each<{ reason: string; pools: Partial<NewNodePool['spec']>[]; plan: Plan; requested: object }>([
    { reason: 'no pool', pools: [], plan: free, requested: { nodes: 0, surge: 0 } },
    {
      reason: 'no surge nodes with in-place upgrades',
      pools: [{ replicas: 3 }],
      plan: free,
      requested: { nodes: 3, surge: 0 },
    },
    { reason: "the plan's strategy", pools: [{ replicas: 3 }], plan: standard, requested: { nodes: 3, surge: 1 } },
    {
      reason: 'a total of all pools, without surge nodes for empty pools',
      pools: [
        { replicas: 3, upgradeStrategy: rolling },
        { replicas: 4, upgradeStrategy: rolling },
        { replicas: 0, upgradeStrategy: rolling },
      ],
      plan: free,
      requested: { nodes: 7, surge: 4 },
    },
    {
      reason: 'a percentage of each pool',
      pools: [
        { replicas: 3, upgradeStrategy: { type: 'Rolling', maxSurge: '50%' } },
        { replicas: 0, upgradeStrategy: { type: 'Rolling', maxSurge: '50%' } },
      ],
      plan: free,
      requested: { nodes: 3, surge: 2 },
    },
  ])('$reason', ({ pools, plan, requested }) => {
    expect(
      requestedNodes(
        pools.map((spec) => aNodePool(spec)),
        plan,
      ),
    ).toEqual(requested);
  });
});

describe('nodeCapacities', () => {
  const existingSubnet = { cidr: '192.168.0.0/29', gatewayIP: '192.168.0.1', hasLoadBalancers: false };
  const networkID = 'aaaaaaaa-0000-4000-8000-000000000000';

  it.each<{ reason: string; spec: NewCluster['spec']; existingSubnet?: NodeSubnet; nodes: number[] }>([
    { reason: 'a subnet created by Fairway', spec: { network: { nodesCIDR: '192.168.0.0/28' } }, nodes: [256, 10] },
    {
      reason: 'one more address without a gateway',
      spec: { network: { nodesCIDR: '192.168.0.0/28', gateway: { mode: 'None' } } },
      nodes: [256, 11],
    },
    { reason: 'an existing subnet', spec: { network: { networkID } }, existingSubnet, nodes: [256, 3] },
    { reason: 'an existing subnet that is unknown', spec: { network: { networkID } }, nodes: [256] },
  ])('$reason: $nodes', ({ spec, existingSubnet, nodes }) => {
    expect(nodeCapacities(aCluster(spec), free, existingSubnet).map((room) => room.nodes)).toEqual(nodes);
  });
});
