import { describe, expect, it } from 'vitest';
import type { CatalogueNetwork, CatalogueSubnet } from '../admission/cloud-catalogue.ts';
import type { PoolNetwork } from '../kinds/pool-networks.ts';
import { areNetworksEqual, checkPoolNetworks, type PoolNetworkFacts } from './pool-networks.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const [NODES, DATA, OTHER, EMPTY, OPEN, PUBLIC, FOREIGN, DELETED] = ['1', '2', '3', '4', '5', '6', '7', '8'].map(id);
const [DATA_A, DATA_B, DATA_6, ONLY] = ['a', 'b', 'c', 'd'].map(id);

const network = (of = '', name = '', more: Partial<CatalogueNetwork> = {}) => ({
  id: of,
  name,
  isExternal: false,
  ...more,
});
const subnet = (of = '', networkID = '', cidr = '', ipVersion: 4 | 6 = 4): CatalogueSubnet => {
  return { id: of, name: 's', networkID, cidr, ipVersion };
};

const facts: PoolNetworkFacts = {
  networks: [
    network(NODES, 'nodes'),
    network(DATA, 'data'),
    network(OTHER, 'other'),
    network(EMPTY, 'empty'),
    network(OPEN, 'open', { hasPortSecurity: false }),
    network(PUBLIC, 'public', { isExternal: true }),
    network(FOREIGN, 'foreign', { isForeign: true }),
  ],
  subnets: [
    subnet(DATA_A, DATA, '10.60.0.0/24'),
    subnet(DATA_B, DATA, '10.60.1.0/24'),
    subnet(DATA_6, DATA, 'fd00::/64', 6),
    subnet(ONLY, OTHER, '10.61.0.0/24'),
    subnet(id('e'), FOREIGN, '10.62.0.0/24'),
  ],
  nodesNetworkID: NODES,
  ranges: [{ name: 'pod network', cidr: '10.2.0.0/16' }],
};

function problemsOf(desired: readonly (string | undefined)[][], more: Partial<PoolNetworkFacts> = {}) {
  const networks = desired.map(
    ([networkID = '', subnetID]): PoolNetwork => ({ networkID, ...(subnetID && { subnetID }) }),
  );
  const { issues, found } = checkPoolNetworks(networks, { ...facts, ...more });
  return { issues: issues.map(({ index, field, reason, detail }) => `${index} ${field} ${reason}: ${detail}`), found };
}

describe('checkPoolNetworks', () => {
  it('uses the specified subnet of a network, or else its only subnet', () => {
    expect(problemsOf([[OTHER], [DATA, DATA_B]])).toEqual({
      issues: [],
      found: [
        { networkID: OTHER, subnetID: ONLY },
        { networkID: DATA, subnetID: DATA_B },
      ],
    });
  });

  it.each([
    {
      wanted: [[DELETED]],
      issue: /^0 networkID NetworkNotFound: the project has no such network; choose one of .* \("nodes"\)/,
    },
    { wanted: [[FOREIGN]], issue: /^0 networkID NetworkNotFound: the project has no such network/ },
    { wanted: [[PUBLIC]], issue: /^0 networkID NetworkNotFound: network "public" is external/ },
    { wanted: [[OPEN]], issue: /^0 networkID NetworkNotFound: network "open" has port security disabled/ },
    { wanted: [[NODES]], issue: /^0 networkID NetworkNotFound: is the network of the cluster's nodes/ },
    { wanted: [[OTHER], [OTHER]], issue: /^1 networkID NetworkNotFound: is listed twice/ },
    { wanted: [[EMPTY]], issue: /^0 networkID SubnetNotFound: the network has no IPv4 subnet/ },
    { wanted: [[DATA]], issue: /^0 subnetID SubnetNotFound: the network has 2 IPv4 subnets: choose one of/ },
    { wanted: [[DATA, DATA_6]], issue: /^0 subnetID SubnetNotFound: is an IPv6 subnet/ },
    { wanted: [[DATA, ONLY]], issue: /^0 subnetID SubnetNotFound: network .* has no such subnet; it has/ },
  ])('reports $issue', ({ wanted, issue }) => {
    expect(problemsOf(wanted)).toEqual({ issues: [expect.stringMatching(issue)], found: expect.anything() });
  });

  it('reports networks that overlap the cluster or each other', () => {
    const subnets = [subnet(DATA_A, DATA, '10.2.9.0/24'), subnet(ONLY, OTHER, '10.2.9.128/25')];

    expect(problemsOf([[DATA], [OTHER]], { subnets, ranges: [] }).issues).toEqual([
      expect.stringMatching(
        /^1 networkID AddressRangeOverlap: subnet .* has the CIDR 10\.2\.9\.128\/25, which overlaps the subnet of network/,
      ),
    ]);
    expect(problemsOf([[DATA]], { subnets }).issues).toEqual([
      expect.stringMatching(/overlaps the pod network 10\.2\.0\.0\/16/),
    ]);
  });

  it('reports no problems while the networks are unknown', () => {
    expect(problemsOf([[DELETED], [DATA]], { networks: undefined, subnets: undefined })).toEqual({
      issues: [],
      found: [],
    });
  });

  it('compares networks regardless of their order', () => {
    const [a, b] = [{ networkID: DATA ?? '' }, { networkID: OTHER ?? '', subnetID: ONLY ?? '' }];
    expect(areNetworksEqual([a, b], [b, a])).toBe(true);
    expect(areNetworksEqual([], undefined)).toBe(true);
    expect(areNetworksEqual([a], [a, b])).toBe(false);
  });
});
