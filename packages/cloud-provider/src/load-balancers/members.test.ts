import { expect, test } from 'vitest';
import type { Family } from './load-balancer-spec.ts';
import { type MemberNode, memberAddresses, membersByFamily, unservedFamilies } from './members.ts';
import { specFromService } from './spec-from-service.ts';
import { aService, DNS, HTTP, SETTINGS } from './testing/services.ts';

const NO_SELECTOR = new Map<string, string | null>();

const node = (name: string, fields: Partial<MemberNode> = {}): MemberNode => ({
  name,
  labels: {},
  taints: [],
  isDeleting: false,
  addresses: [`10.0.0.${name.charCodeAt(0)}`],
  ...fields,
});

const excludeLabel = (value: string) => ({ 'node.kubernetes.io/exclude-from-external-load-balancers': value });

// Cases from cloud-provider-openstack's Test_filterNodes and Test_nodeAddressForLB, and from k8s.io/cloud-provider's
// node predicates.
test.each<{
  is: string;
  nodes: MemberNode[];
  selector?: ReadonlyMap<string, string | null>;
  families?: readonly Family[];
  members: string[];
}>([
  { is: 'all nodes, ordered by name', nodes: [node('b'), node('a')], members: ['a 10.0.0.97', 'b 10.0.0.98'] },
  { is: 'no node that is being deleted', nodes: [node('a', { isDeleting: true })], members: [] },
  { is: 'no excluded node', nodes: [node('a', { labels: excludeLabel('') })], members: [] },
  { is: 'no node excluded with true', nodes: [node('a', { labels: excludeLabel('true') })], members: [] },
  {
    is: 'a node with the exclusion set to false',
    nodes: [node('a', { labels: excludeLabel('false') })],
    members: ['a 10.0.0.97'],
  },
  {
    is: 'no node that the autoscaler is about to delete',
    nodes: [node('a', { taints: ['ToBeDeletedByClusterAutoscaler'] })],
    members: [],
  },
  { is: 'a node with another taint', nodes: [node('a', { taints: ['other'] })], members: ['a 10.0.0.97'] },
  { is: 'no node without an address', nodes: [node('a', { addresses: [] })], members: [] },
  {
    is: 'the first address of the family',
    nodes: [node('a', { addresses: ['2001:db8::1', '10.0.0.1', '10.0.0.2'] })],
    members: ['a 10.0.0.1'],
  },
  {
    is: 'IPv6',
    nodes: [node('a', { addresses: ['10.0.0.1', '2001:db8::1'] })],
    families: [6],
    members: ['a 2001:db8::1'],
  },
  { is: 'no address of another family', nodes: [node('a')], families: [6], members: [] },
  {
    is: 'the first family that a node has',
    nodes: [
      node('a', { addresses: ['10.0.0.1', '2001:db8::1'] }),
      node('b'),
      node('c', { addresses: ['2001:db8::3'] }),
    ],
    families: [6, 4],
    members: ['a 2001:db8::1', 'b 10.0.0.98', 'c 2001:db8::3'],
  },
  {
    is: 'each address only once',
    nodes: [node('a', { addresses: ['10.0.0.1'] }), node('b', { addresses: ['10.0.0.1'] })],
    members: ['a 10.0.0.1'],
  },
  {
    is: 'nodes with the value of a label',
    nodes: [node('a', { labels: { zone: 'a' } }), node('b', { labels: { zone: 'b' } })],
    selector: new Map([['zone', 'a']]),
    members: ['a 10.0.0.97'],
  },
  {
    is: 'nodes with any value of a label',
    nodes: [node('a', { labels: { gpu: '' } }), node('b')],
    selector: new Map([['gpu', null]]),
    members: ['a 10.0.0.97'],
  },
  {
    is: 'only nodes with all labels',
    nodes: [node('a', { labels: { gpu: '' } })],
    selector: new Map([
      ['gpu', null],
      ['zone', 'a'],
    ]),
    members: [],
  },
])('selects members: $is', ({ nodes, selector = NO_SELECTOR, families = [4], members }) => {
  const found = memberAddresses(nodes, { nodeSelector: selector, families });

  expect(found.map(({ node: name, address }) => `${name} ${address}`)).toEqual(members);
});

test('selects members of each family for protocols that are not translated', () => {
  const nodes = [node('a', { addresses: ['10.0.0.1', '2001:db8::1'] }), node('b')];

  const found = membersByFamily(nodes, { nodeSelector: NO_SELECTOR, families: [4, 6] });

  expect(found.map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.98', '2001:db8::1']);
});

test.each<{ is: string; ipFamilies: string[]; provider?: string; addresses: string[]; message: string[] }>([
  { is: 'only IPv4', ipFamilies: ['IPv4'], addresses: ['2001:db8::1'], message: [] },
  { is: 'nodes that do not exist yet', ipFamilies: ['IPv6'], addresses: [], message: [] },
  {
    is: 'only IPv6, for nodes without it',
    ipFamilies: ['IPv6'],
    addresses: ['10.0.0.1'],
    message: ['the IPv6 address has no backends on TCP/80, UDP/53: no node has an IPv6 address'],
  },
  {
    is: 'dual stack: ports that Octavia can translate get members',
    ipFamilies: ['IPv4', 'IPv6'],
    addresses: ['10.0.0.1'],
    message: ['the IPv6 address has no backends on UDP/53: no node has an IPv6 address'],
  },
  {
    is: 'two families with OVN, which translates nothing',
    ipFamilies: ['IPv6', 'IPv4'],
    provider: 'ovn',
    addresses: ['10.0.0.1'],
    message: ['the IPv6 address has no backends on TCP/80, UDP/53: no node has an IPv6 address'],
  },
  { is: 'nodes with both families', ipFamilies: ['IPv4', 'IPv6'], addresses: ['10.0.0.1', '2001:db8::1'], message: [] },
])('reports unserved nodes: $is', ({ ipFamilies, provider, addresses, message }) => {
  const service = aService({ ipFamilies, ports: [HTTP, DNS] }, provider === undefined ? {} : { provider });
  const { balancerSpec } = specFromService(service, SETTINGS);

  expect(unservedFamilies([node('a', { addresses })], balancerSpec)).toEqual(message);
});
