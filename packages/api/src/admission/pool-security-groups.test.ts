import { expect, test } from 'vitest';
import type { NewCluster } from '../kinds/cluster.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { admitNodePool } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

const own = (id: string, name: string) => ({ id, name, isShared: false, isFairways: false });
const CATALOGUE: CloudCatalogue = {
  securityGroups: [
    own('1', 'web'),
    own('2', 'twice'),
    own('3', 'twice'),
    { ...own('4', 'fairway-demo'), isFairways: true },
    { ...own('5', 'theirs'), isShared: true },
  ],
};
const OWN_NETWORK: Partial<NewCluster['spec']> = {};
const EXISTING_NETWORK: Partial<NewCluster['spec']> = {
  network: { networkID: 'aaaaaaaa-0000-4000-8000-000000000000' },
};

function errorsOf(names: readonly string[], cluster = OWN_NETWORK, old?: readonly string[]) {
  return admitNodePool({
    pool: aNodePool({ securityGroups: [...names] }),
    old: old && aNodePool({ securityGroups: [...old] }),
    clusters: [aCluster(cluster)],
    others: [],
    plans: [],
    catalogue: CATALOGUE,
    nowMs: Date.UTC(2026, 10, 22),
  });
}

test.each<{ name: string; type: string; expectedMessage: RegExp }>([
  {
    name: 'wob',
    type: 'FieldValueNotFound',
    expectedMessage: /offers this project no such security group; did you mean "web"/,
  },
  { name: 'theirs', type: 'FieldValueNotFound', expectedMessage: /there are "twice", "web"$/ },
  { name: 'twice', type: 'FieldValueInvalid', expectedMessage: /^the project has 2 security groups of that name/ },
  { name: 'fairway-demo', type: 'FieldValueForbidden', expectedMessage: /^fairway-demo: is managed by Fairway/ },
  { name: '5', type: 'FieldValueForbidden', expectedMessage: /^5: belongs to another project, but Nova/ },
])('refuses $name: $expectedMessage', ({ name, type, expectedMessage }) => {
  expect(errorsOf(['web', name])).toEqual([
    expect.objectContaining({ type, field: 'spec.securityGroups[1]', detail: expect.stringMatching(expectedMessage) }),
  ]);
});

test('accepts a shared security group by ID in a network owned by the tenant', () => {
  expect(errorsOf(['5'], EXISTING_NETWORK)).toEqual([]);
});

test('accepts a stored name, but refuses an invalid name that is added to the list', () => {
  expect(errorsOf(['gone', 'lost'], OWN_NETWORK, ['gone'])).toMatchObject([{ field: 'spec.securityGroups[1]' }]);
});
