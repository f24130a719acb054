import { expect, test } from 'vitest';
import { type MemberNode, memberAddresses } from './members.ts';

const ANY = new Map<string, string | null>();

const node = (name: string, fields: Partial<MemberNode> = {}): MemberNode => ({
  name,
  labels: {},
  taints: [],
  isDeleting: false,
  addresses: [`10.0.0.${name.charCodeAt(0)}`],
  ...fields,
});

const exclude = (value: string) => ({ 'node.kubernetes.io/exclude-from-external-load-balancers': value });

// Cases of cloud-provider-openstack's Test_filterNodes and Test_nodeAddressForLB, and of k8s.io/cloud-provider's node predicates.
test.each<{
  is: string;
  nodes: MemberNode[];
  selector?: ReadonlyMap<string, string | null>;
  family?: 4 | 6;
  members: string[];
}>([
  { is: 'all, by name', nodes: [node('b'), node('a')], members: ['a 10.0.0.97', 'b 10.0.0.98'] },
  { is: 'one that is being deleted', nodes: [node('a', { isDeleting: true })], members: [] },
  { is: 'one that is excluded', nodes: [node('a', { labels: exclude('') })], members: [] },
  { is: 'one that is excluded with true', nodes: [node('a', { labels: exclude('true') })], members: [] },
  {
    is: 'one with the exclusion set to false',
    nodes: [node('a', { labels: exclude('false') })],
    members: ['a 10.0.0.97'],
  },
  {
    is: 'one that the autoscaler is about to delete',
    nodes: [node('a', { taints: ['ToBeDeletedByClusterAutoscaler'] })],
    members: [],
  },
  { is: 'one with another taint', nodes: [node('a', { taints: ['other'] })], members: ['a 10.0.0.97'] },
  { is: 'one without an address', nodes: [node('a', { addresses: [] })], members: [] },
  {
    is: 'the first address of the family',
    nodes: [node('a', { addresses: ['2001:db8::1', '10.0.0.1', '10.0.0.2'] })],
    members: ['a 10.0.0.1'],
  },
  { is: 'IPv6', nodes: [node('a', { addresses: ['10.0.0.1', '2001:db8::1'] })], family: 6, members: ['a 2001:db8::1'] },
  { is: 'none of another family', nodes: [node('a')], family: 6, members: [] },
  {
    is: 'one address once',
    nodes: [node('a', { addresses: ['10.0.0.1'] }), node('b', { addresses: ['10.0.0.1'] })],
    members: ['a 10.0.0.1'],
  },
  {
    is: 'a label with its value',
    nodes: [node('a', { labels: { zone: 'a' } }), node('b', { labels: { zone: 'b' } })],
    selector: new Map([['zone', 'a']]),
    members: ['a 10.0.0.97'],
  },
  {
    is: 'a label with any value',
    nodes: [node('a', { labels: { gpu: '' } }), node('b')],
    selector: new Map([['gpu', null]]),
    members: ['a 10.0.0.97'],
  },
  {
    is: 'all labels',
    nodes: [node('a', { labels: { gpu: '' } })],
    selector: new Map([
      ['gpu', null],
      ['zone', 'a'],
    ]),
    members: [],
  },
])('members: $is', ({ nodes, selector = ANY, family = 4, members }) => {
  const found = memberAddresses(nodes, { nodeSelector: selector, family });

  expect(found.map(({ node: name, address }) => `${name} ${address}`)).toEqual(members);
});
