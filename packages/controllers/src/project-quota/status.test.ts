import { aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { quotaStatus } from './status.ts';

const pools = [aNodePool({ replicas: 3, flavor: 'small' }), aNodePool({ replicas: 1, flavor: 'large' }, { name: 'b' })];
const VCPUS: Readonly<Record<string, number>> = { small: 2, large: 8 };

test.each([
  {
    what: 'resources that it limits',
    spec: { clusters: 5, nodes: 10, cores: 20 },
    vcpus: VCPUS,
    says: ['2/5', '4/10', '14/20'],
  },
  {
    what: 'resources that the operator limits by default',
    spec: { nodes: 3 },
    vcpus: VCPUS,
    says: ['2/7', '4/3', '14/unlimited'],
  },
  {
    what: 'no cores while a flavor is unknown',
    spec: { cores: 20 },
    vcpus: { small: 2 },
    says: ['2/7', '4/unlimited', '?/20'],
  },
])('quotaStatus reports usage: $what', ({ spec, vcpus, says }) => {
  const known: Readonly<Record<string, number>> = vcpus;
  const quota = { clusters: { limit: 7, by: "the operator's default" } };
  const use = { clusters: 2, pools, vcpusOf: ({ spec: { flavor } }: (typeof pools)[number]) => known[flavor], quota };

  const { clusters, nodes, cores } = quotaStatus({ metadata: { name: 'q' }, spec }, use);

  expect([clusters, nodes, cores]).toEqual(says);
});
