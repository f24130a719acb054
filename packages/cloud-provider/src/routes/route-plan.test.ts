import { describe, expect, test } from 'vitest';
import { desiredPairs, planRoutes, type RoutedNode, type RouteFacts } from './route-plan.ts';

const node = (name: string, podCIDR: string | undefined, address: string | undefined, minute = 0): RoutedNode => ({
  name,
  podCIDR,
  address,
  createdTime: `2026-01-01T00:0${minute}:00Z`,
});
const route = (destination: string, nexthop: string) => ({ destination, nexthop });
const facts = (nodes: readonly RoutedNode[], present: RouteFacts['present'] = []): RouteFacts => ({
  podCIDR: '10.2.0.0/16',
  nodesCIDR: '10.0.0.0/24',
  nodes,
  present,
});
const a = node('a', '10.2.0.0/24', '10.0.0.5');
const b = node('b', '10.2.1.0/24', '10.0.0.6', 1);
const routeA = route('10.2.0.0/24', '10.0.0.5');
const routeB = route('10.2.1.0/24', '10.0.0.6');

describe('routes', () => {
  test.each<{
    reason: string;
    nodes: readonly RoutedNode[];
    present: RouteFacts['present'];
    add: object;
    remove: object;
  }>([
    { reason: 'new nodes get a route', nodes: [a, b], present: [], add: [routeA, routeB], remove: [] },
    { reason: 'existing routes stay', nodes: [a, b], present: [routeB, routeA], add: [], remove: [] },
    { reason: 'a deleted node loses its route', nodes: [a], present: [routeA, routeB], add: [], remove: [routeB] },
    {
      reason: 'the route of a new server with the same name gets a new next hop',
      nodes: [node('a', '10.2.0.0/24', '10.0.0.9')],
      present: [routeA],
      add: [route('10.2.0.0/24', '10.0.0.9')],
      remove: [routeA],
    },
    {
      reason: 'foreign routes are not touched, even one that contains the pod range',
      nodes: [a],
      present: [routeA, route('192.168.9.0/24', '10.0.0.77'), route('10.0.0.0/8', '10.0.0.78')],
      add: [],
      remove: [],
    },
    {
      reason: 'a route into the pod range is Fairway’s',
      nodes: [a],
      present: [routeA, route('10.2.0.0/25', '10.0.0.77')],
      add: [],
      remove: [route('10.2.0.0/25', '10.0.0.77')],
    },
    {
      reason: 'nodes without a range or an address get no route yet',
      nodes: [node('c', undefined, '10.0.0.7'), node('d', '10.2.2.0/24', undefined)],
      present: [],
      add: [],
      remove: [],
    },
  ])('$reason', ({ nodes, present, add, remove }) => {
    const plan = planRoutes(facts(nodes, present));

    expect({ add: plan.add, remove: plan.remove, refused: plan.refused.size }).toEqual({ add, remove, refused: 0 });
  });
});

describe('a node with a foreign or invalid pod CIDR', () => {
  test.each([
    { podCIDR: '10.2.1.0/24', says: /is already used by node b/, reason: 'the range of another node' },
    { podCIDR: '10.2.1.128/25', says: /is already used by node b/, reason: 'a part of another node’s range' },
    { podCIDR: '10.2.0.0/17', says: /not a \/24 or smaller/, reason: 'more than the pods of one node need' },
    { podCIDR: '0.0.0.0/0', says: /not a \/24/, reason: 'everything' },
    { podCIDR: '10.0.0.0/24', says: /within the cluster's 10\.2\.0\.0\/16/, reason: 'the nodes’ subnet' },
    { podCIDR: '169.254.169.254/32', says: /within the cluster's/, reason: 'the metadata service' },
    { podCIDR: 'fd00::/64', says: /not an IPv4 network/, reason: 'an IPv6 range, which routes are not created for' },
    { podCIDR: '10.2.9.1/24', says: /not an IPv4 network/, reason: 'nonsense' },
  ])('gets no route and removes none: $reason', ({ podCIDR, says }) => {
    const plan = planRoutes(facts([b, node('z', podCIDR, '10.0.0.9', 5)], [routeB]));

    expect([plan.add, plan.remove]).toEqual([[], []]);
    expect(plan.refused.get('z')).toMatch(says);
  });

  test('creates no route to a next hop outside the subnet', () => {
    const plan = planRoutes(facts([node('z', '10.2.5.0/24', '192.0.2.1')]));

    expect([plan.add, plan.refused.get('z')]).toEqual([[], expect.stringMatching(/not in the node subnet/)]);
  });
});

describe('address pairs of a port', () => {
  const pair = (ip_address: string) => ({ ip_address });

  test.each([
    { present: [], wanted: [pair('10.2.0.0/24')] },
    { present: [pair('10.2.0.0/24')], wanted: undefined },
    { present: [pair('10.2.7.0/24')], wanted: [pair('10.2.0.0/24')] },
    { present: [pair('192.0.2.9')], wanted: [pair('192.0.2.9'), pair('10.2.0.0/24')] },
    { present: [pair('192.0.2.9'), pair('10.2.0.0/24')], wanted: undefined },
    { present: [pair('fd00::1')], wanted: [pair('fd00::1'), pair('10.2.0.0/24')] },
  ])('changes $present to $wanted', ({ present, wanted }) => {
    expect(desiredPairs(present, '10.2.0.0/24', '10.2.0.0/16')).toEqual(wanted);
  });
});
