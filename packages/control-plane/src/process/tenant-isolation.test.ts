import { describe, expect, test } from 'vitest';
import type { ClusterRecord } from './cluster-record.ts';
import { ClusterUsers, DEFAULT_USERS } from './cluster-users.ts';
import { isMapped, Tenancy } from './tenant-isolation.ts';

const SHARED_USER = { users: undefined, reason: 'Fairway does not run as root' } as const;
const NO_RECORDS = new Map<string, ClusterRecord>();

function record(change: Partial<ClusterRecord>): ClusterRecord {
  return { port: 20_000, encryptionKey: '', ...change };
}

describe('with a shared user for all control planes', () => {
  test('lets clusters in one namespace share the machine', () => {
    const tenancy = new Tenancy(SHARED_USER);

    expect(tenancy.problemOf({ uid: 'a', namespace: 'team' }, NO_RECORDS)).toBeUndefined();
    expect(tenancy.problemOf({ uid: 'b', namespace: 'team' }, NO_RECORDS)).toBeUndefined();
    expect(tenancy.problemOf({ uid: 'a', namespace: 'team' }, NO_RECORDS)).toBeUndefined();
  });

  test('rejects clusters in another namespace, with advice for the operator', () => {
    const tenancy = new Tenancy(SHARED_USER);
    tenancy.problemOf({ uid: 'a', namespace: 'team' }, NO_RECORDS);

    const problem = tenancy.problemOf({ uid: 'b', namespace: 'other' }, NO_RECORDS);

    expect(problem).toMatch(/namespace team.*does not run as root.*simulated/);
    tenancy.forget('a');
    expect(tenancy.problemOf({ uid: 'b', namespace: 'other' }, NO_RECORDS)).toBeUndefined();
  });

  test('rejects clusters in another namespace, regardless of which process admitted the first cluster', () => {
    const records = new Map([['a', record({ namespace: 'team' })]]);

    expect(new Tenancy(SHARED_USER).problemOf({ uid: 'b', namespace: 'other' }, records)).toContain('namespace team');
    expect(new Tenancy(SHARED_USER).problemOf({ uid: 'b', namespace: 'team' }, records)).toBeUndefined();
  });

  test('refuses a cluster that has its own user until Fairway runs as root', () => {
    const records = new Map([['a', record({ namespace: 'team', userId: 1_900_000_000 })]]);

    expect(new Tenancy(SHARED_USER).problemOf({ uid: 'a', namespace: 'team' }, records)).toContain('as root again');
  });
});

test('lets all clusters share the machine with a user per cluster', () => {
  const tenancy = new Tenancy({ users: new ClusterUsers('/nowhere', DEFAULT_USERS, () => 0) });
  const records = new Map([['a', record({ namespace: 'team', userId: 1_900_000_000 })]]);

  expect(tenancy.problemOf({ uid: 'b', namespace: 'other' }, records)).toBeUndefined();
});

test.each([
  { map: '         0          0 4294967295\n', mapped: true, reason: 'no user namespace' },
  { map: '         0     100000      65536\n', mapped: false, reason: 'a container with few IDs' },
  { map: '0 0 65536\n1900000000 5000000 10000\n', mapped: true, reason: 'a separate line for the IDs' },
  { map: '0 0 65536\n1900000000 5000000 9999\n', mapped: false, reason: 'one ID too few' },
])('detects whether the IDs of clusters exist with $reason: $mapped', ({ map, mapped }) => {
  expect(isMapped(DEFAULT_USERS, map)).toBe(mapped);
});
