import { describe, expect, test } from 'vitest';
import type { ProjectQuota } from '../kinds/project-quota.ts';
import { aNodePool } from '../testing/objects.ts';
import { effectiveQuota, quotaRoom, quotaShares } from './project-quota.ts';

const quota = (name: string, spec: ProjectQuota['spec']): ProjectQuota => ({ metadata: { name }, spec });

describe('the quota that holds', () => {
  test.each([
    { what: 'none', quotas: [], defaults: undefined, is: {} },
    { what: 'the default', quotas: [], defaults: { nodes: 5 }, is: { nodes: [5, "the operator's default"] } },
    {
      what: 'what is written, where it is',
      quotas: [quota('a', { nodes: 9 })],
      defaults: { nodes: 5, cores: 8 },
      is: { nodes: [9, 'ProjectQuota "a"'], cores: [8, "the operator's default"] },
    },
    {
      what: 'the narrowest of several',
      quotas: [quota('a', { nodes: 9 }), quota('b', { nodes: 3, clusters: 0 })],
      defaults: undefined,
      is: { nodes: [3, 'ProjectQuota "b"'], clusters: [0, 'ProjectQuota "b"'] },
    },
  ])('is $what', ({ quotas, defaults, is }) => {
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

describe('what a pool gets', () => {
  test.each([
    { of: OLD, quota: nodes(3), others: [], gets: [2], reason: 'the older one comes first' },
    { of: NEW, quota: nodes(3), others: [], gets: [1], reason: 'the younger one has what is left' },
    { of: OLD, quota: nodes(3), others: [2, 2], gets: [1], reason: 'machines that there are stay' },
    { of: OLD, quota: cores(18), others: [], gets: [2], reason: 'two of eight cores fit' },
    { of: NEW, quota: cores(19), others: [], gets: [1], reason: 'three cores are left for nodes of two' },
    { of: NEW, quota: cores(16), others: [8, 8], gets: [0], reason: 'none are left' },
    { of: NEW, quota: { ...nodes(3), ...cores(100) }, others: [], gets: [1, 42], reason: 'both limit it' },
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
  ])('of $quota there is room for $room more', ({ quota: held, vcpus, room }) => {
    expect(quotaRoom(held, POOLS, vcpusOf, vcpus)?.nodes).toBe(room);
  });
});
