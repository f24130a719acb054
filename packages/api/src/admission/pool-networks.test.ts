import { describe, expect, it } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { PoolNetwork } from '../kinds/pool-networks.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { admitNodePool, nodePoolWarnings } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const [OLD_NETWORK, NEW_NETWORK, OVERLAPPING_NETWORK, DELETED_NETWORK] = [id('1'), id('2'), id('3'), id('4')];
const subnet = (networkID: string, cidr: string) => {
  return { id: networkID.replace('4000', '4111'), name: 's', networkID, cidr, ipVersion: 4 as const };
};

const catalogue: CloudCatalogue = {
  flavors: [{ id: id('f'), name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 }],
  networks: [OLD_NETWORK, NEW_NETWORK, OVERLAPPING_NETWORK].map((networkID) => ({
    id: networkID,
    name: 'n',
    isExternal: false,
  })),
  subnets: [
    subnet(OLD_NETWORK, '10.60.0.0/16'),
    subnet(NEW_NETWORK, '10.60.7.0/24'),
    subnet(OVERLAPPING_NETWORK, '10.2.7.0/24'),
  ],
  quotas: { ports: { limit: 10, used: 5 } },
};

const named = (...ids: readonly string[]): PoolNetwork[] => ids.map((networkID) => ({ networkID }));

function admission(networks: PoolNetwork[], before?: PoolNetwork[], replicas = 1) {
  return {
    pool: aNodePool({ networks, replicas }),
    old: before && aNodePool({ networks: before, replicas: 1 }),
    clusters: [aCluster()],
    others: [],
    plans: SHIPPED_PLANS,
    catalogue,
    nowMs: Date.UTC(2026, 10, 22),
  };
}

const fieldsOf = (networks: PoolNetwork[], before?: PoolNetwork[]) =>
  admitNodePool(admission(networks, before)).map(({ field }) => field);

describe("admission of a pool's additional networks", () => {
  it.each([
    { networks: named(OLD_NETWORK), fields: [], reason: 'the network exists' },
    { networks: named(DELETED_NETWORK), fields: ['spec.networks[0].networkID'], reason: 'the network does not exist' },
    {
      networks: named(OVERLAPPING_NETWORK),
      fields: ['spec.networks[0].networkID'],
      reason: 'the network overlaps the pods',
    },
    {
      networks: named(DELETED_NETWORK, OVERLAPPING_NETWORK),
      before: named(OVERLAPPING_NETWORK, DELETED_NETWORK),
      fields: [],
      reason: 'both networks are already stored',
    },
    {
      networks: named(NEW_NETWORK, OLD_NETWORK),
      before: named(OLD_NETWORK),
      fields: ['spec.networks[0].networkID'],
      reason: 'only the new one of two conflicting networks is reported',
    },
  ])('reports errors at $fields: $reason', ({ networks, before, fields }) => {
    expect(fieldsOf(networks, before)).toEqual(fields);
  });

  it('warns that the port quota is too small', () => {
    const warnings = nodePoolWarnings(admission(named(OLD_NETWORK), undefined, 3));
    expect(warnings).toEqual([expect.stringMatching(/^spec\.replicas: 3 more nodes need 6 ports/)]);
  });
});
