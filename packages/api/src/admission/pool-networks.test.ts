import { describe, expect, it } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { PoolNetwork } from '../kinds/pool-networks.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { admitNodePool, nodePoolWarnings } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
const [OLD, NEW, INSIDE, DELETED] = [id('1'), id('2'), id('3'), id('4')];
const subnet = (networkID: string, cidr: string) => {
  return { id: networkID.replace('4000', '4111'), name: 's', networkID, cidr, ipVersion: 4 as const };
};

const catalogue: CloudCatalogue = {
  flavors: [{ id: id('f'), name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 }],
  networks: [OLD, NEW, INSIDE].map((networkID) => ({ id: networkID, name: 'n', isExternal: false })),
  subnets: [subnet(OLD, '10.60.0.0/16'), subnet(NEW, '10.60.7.0/24'), subnet(INSIDE, '10.2.7.0/24')],
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
  };
}

const fieldsOf = (networks: PoolNetwork[], before?: PoolNetwork[]) =>
  admitNodePool(admission(networks, before)).map(({ field }) => field);

describe('additional networks of a pool at admission', () => {
  it.each([
    { networks: named(OLD), fields: [], reason: 'the network exists' },
    { networks: named(DELETED), fields: ['spec.networks[0].networkID'], reason: 'the network does not exist' },
    { networks: named(INSIDE), fields: ['spec.networks[0].networkID'], reason: 'the network overlaps the pods' },
    {
      networks: named(DELETED, INSIDE),
      before: named(INSIDE, DELETED),
      fields: [],
      reason: 'both networks are already stored',
    },
    {
      networks: named(NEW, OLD),
      before: named(OLD),
      fields: ['spec.networks[0].networkID'],
      reason: 'the new network is reported',
    },
  ])('reports $fields: $reason', ({ networks, before, fields }) => {
    expect(fieldsOf(networks, before)).toEqual(fields);
  });

  it('warns which quota of ports is too small', () => {
    const warnings = nodePoolWarnings(admission(named(OLD), undefined, 3));
    expect(warnings).toEqual([expect.stringMatching(/^spec\.replicas: 3 more nodes need 6 ports/)]);
  });
});
