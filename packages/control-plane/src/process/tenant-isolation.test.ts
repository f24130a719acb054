import { describe, expect, test } from 'vitest';
import type { ClusterRecord } from './cluster-record.ts';
import { ClusterUsers, DEFAULT_USERS } from './cluster-users.ts';
import { isMapped, Tenancy } from './tenant-isolation.ts';

const SHARED = { users: undefined, reason: 'Fairway does not run as root' } as const;
const NONE = new Map<string, ClusterRecord>();

function record(change: Partial<ClusterRecord>): ClusterRecord {
  return { port: 20_000, encryptionKey: '', ...change };
}

describe('with one user for all control planes', () => {
  test('clusters of one namespace share the machine', () => {
    const tenancy = new Tenancy(SHARED);

    expect(tenancy.problemOf({ uid: 'a', namespace: 'team' }, NONE)).toBeUndefined();
    expect(tenancy.problemOf({ uid: 'b', namespace: 'team' }, NONE)).toBeUndefined();
    expect(tenancy.problemOf({ uid: 'a', namespace: 'team' }, NONE)).toBeUndefined();
  });

  test('those of another are rejected, with advice for the operator', () => {
    const tenancy = new Tenancy(SHARED);
    tenancy.problemOf({ uid: 'a', namespace: 'team' }, NONE);

    const problem = tenancy.problemOf({ uid: 'b', namespace: 'other' }, NONE);

    expect(problem).toMatch(/namespace team.*does not run as root.*simulated/);
    tenancy.forget('a');
    expect(tenancy.problemOf({ uid: 'b', namespace: 'other' }, NONE)).toBeUndefined();
  });

  test('they are rejected whichever process admitted the first', () => {
    const records = new Map([['a', record({ namespace: 'team' })]]);

    expect(new Tenancy(SHARED).problemOf({ uid: 'b', namespace: 'other' }, records)).toContain('namespace team');
    expect(new Tenancy(SHARED).problemOf({ uid: 'b', namespace: 'team' }, records)).toBeUndefined();
  });

  test('a cluster that has its own user waits for root', () => {
    const records = new Map([['a', record({ namespace: 'team', userId: 1_900_000_000 })]]);

    expect(new Tenancy(SHARED).problemOf({ uid: 'a', namespace: 'team' }, records)).toContain('as root again');
  });
});

test('with a user per cluster, all share the machine', () => {
  const tenancy = new Tenancy({ users: new ClusterUsers('/nowhere', DEFAULT_USERS, () => 0) });
  const records = new Map([['a', record({ namespace: 'team', userId: 1_900_000_000 })]]);

  expect(tenancy.problemOf({ uid: 'b', namespace: 'other' }, records)).toBeUndefined();
});

test.each([
  { map: '         0          0 4294967295\n', mapped: true, reason: 'no user namespace' },
  { map: '         0     100000      65536\n', mapped: false, reason: 'a container with few ids' },
  { map: '0 0 65536\n1900000000 5000000 10000\n', mapped: true, reason: 'a line of their own' },
  { map: '0 0 65536\n1900000000 5000000 9999\n', mapped: false, reason: 'one is missing' },
])('$reason: ids of clusters exist: $mapped', ({ map, mapped }) => {
  expect(isMapped(DEFAULT_USERS, map)).toBe(mapped);
});
