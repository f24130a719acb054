import { describe, expect, test } from 'vitest';
import type { ProjectQuota } from '../kinds/project-quota.ts';
import { aNodePool } from '../testing/objects.ts';
import { effectiveQuota, quotaShares, remainingQuotaShares } from './project-quota.ts';

const quota = (name: string, spec: ProjectQuota['spec']): ProjectQuota => ({ metadata: { name }, spec });

describe('effectiveQuota', () => {
  test.each([
    { what: 'none', quotas: [], defaults: undefined, is: {} },
    { what: 'the default', quotas: [], defaults: { nodes: 5 }, is: { nodes: [5, "the operator's default"] } },
    {
      what: 'the ProjectQuota, or else the default',
      quotas: [quota('a', { nodes: 9 })],
      defaults: { nodes: 5, cores: 8 },
      is: { nodes: [9, 'ProjectQuota "a"'], cores: [8, "the operator's default"] },
    },
    {
      what: 'the strictest of several ProjectQuotas',
      quotas: [quota('a', { nodes: 9 }), quota('b', { nodes: 3, clusters: 0 })],
      defaults: undefined,
      is: { nodes: [3, 'ProjectQuota "b"'], clusters: [0, 'ProjectQuota "b"'] },
    },
  ])('returns $what', ({ quotas, defaults, is }) => {
    const limits = Object.entries(effectiveQuota(quotas, defaults)).map(([resource, { limit, by }]) => [
      resource,
      [limit, by],
    ]);

    expect(Object.fromEntries(limits)).toEqual(is);
  });
});

const pool = (name: string, replicas: number, flavor: string, creationTimestamp: string) =>
  aNodePool({ replicas, flavor }, { name, uid: name, creationTimestamp });
const OLD = pool('old', 2, 'large', '2026-01-01T00:00:00Z');
const NEW = pool('new', 4, 'small', '2026-01-02T00:00:00Z');
const POOLS = [NEW, OLD];
const VCPUS: Readonly<Record<string, number>> = { small: 2, large: 8 };
const vcpusOf = ({ spec }: typeof OLD) => VCPUS[spec.flavor];
const nodes = (limit: number) => ({ nodes: { limit, by: 'a test' } });
const cores = (limit: number) => ({ cores: { limit, by: 'a test' } });

describe('quotaShares', () => {
  test.each([
    { of: OLD, quota: nodes(3), others: [], gets: [2], reason: 'grants nodes to the older pool first' },
    { of: NEW, quota: nodes(3), others: [], gets: [1], reason: 'grants the remaining nodes to the younger pool' },
    { of: OLD, quota: nodes(3), others: [2, 2], gets: [1], reason: 'counts existing machines of other pools' },
    { of: OLD, quota: cores(18), others: [], gets: [2], reason: 'grants two nodes of eight cores within 18 cores' },
    { of: NEW, quota: cores(19), others: [], gets: [1], reason: 'grants one node of two cores with three cores left' },
    { of: NEW, quota: cores(16), others: [8, 8], gets: [0], reason: 'grants no nodes without cores left' },
    {
      of: NEW,
      quota: { ...nodes(3), ...cores(100) },
      others: [],
      gets: [1, 42],
      reason: 'returns the shares of both limits',
    },
  ])('$reason', ({ of, quota: held, others, gets }) => {
    const shares = quotaShares(of, { quota: held, pools: POOLS, othersCores: others, vcpusOf });

    expect(shares.map((share) => share.nodes)).toEqual(gets);
  });

  test.each([
    { quota: nodes(10), vcpus: 2, room: 4 },
    { quota: cores(30), vcpus: 2, room: 3 },
    { quota: { ...nodes(10), ...cores(30) }, vcpus: 2, room: 3 },
    { quota: cores(30), vcpus: undefined, room: undefined },
    { quota: nodes(5), vcpus: 2, room: -1 },
  ])('leaves room for $room more nodes within $quota', ({ quota: held, vcpus, room }) => {
    expect(remainingQuotaShares(held, POOLS, vcpusOf, vcpus)?.nodes).toBe(room);
  });
});
