import { expect, test } from 'vitest';
import { HeldShards } from './held-shards.ts';

const LEASE_MS = 8_000;
const TENURE = { sinceMs: 0, isInherited: true };

/** A member with a fresh lease and shard 1, on two clocks that the test controls. */
function holder() {
  const time = { wallMs: 1_000_000, monotonicMs: 5_000 };
  const held = new HeldShards(() => ({ ...time }));
  const renew = () => held.recordRenewal({ ...time }, LEASE_MS);
  renew();
  held.acquire(1, TENURE);
  return { held, time, renew };
}

test.each([
  { reason: 'a stopped process: both clocks advanced', wallMs: LEASE_MS, monotonicMs: LEASE_MS },
  { reason: 'a suspended machine: the monotonic clock stopped', wallMs: LEASE_MS, monotonicMs: 0 },
  { reason: 'a wall clock that was set back', wallMs: -3_600_000, monotonicMs: LEASE_MS },
])('expires a grant with the lease, on either clock: $reason', ({ wallMs, monotonicMs }) => {
  const { held, time } = holder();
  const grant = held.grant(1, 'team/demo');
  time.wallMs += wallMs;
  time.monotonicMs += monotonicMs;

  expect(grant?.isValid()).toBe(false);
  expect(held.grant(1, 'team/demo')).toBeUndefined();
});

test('a grant is valid until the last millisecond of the lease, and longer if the lease is renewed', () => {
  const { held, time, renew } = holder();
  const grant = held.grant(1, 'team/demo');
  time.wallMs += LEASE_MS - 1;
  time.monotonicMs += LEASE_MS - 1;
  expect(grant?.isValid()).toBe(true);
  renew();
  time.wallMs += LEASE_MS - 1;
  time.monotonicMs += LEASE_MS - 1;

  expect(grant?.isValid()).toBe(true);
});

test('a shard that was lost and reacquired gets new grants, and the old ones stay invalid', () => {
  const { held, time, renew } = holder();
  const old = held.grant(1, 'team/demo');
  time.wallMs += LEASE_MS;
  expect(held.dropIfLapsed()).toEqual([1]);
  renew();
  held.acquire(1, TENURE);

  expect(old?.isValid()).toBe(false);
  expect(held.grant(1, 'team/demo')?.isValid()).toBe(true);
  expect(held.lapses).toBe(1);
});

test('running work may finish during a handover until a timeout, and no new work starts', () => {
  const { held } = holder();
  const grant = held.grant(1, 'team/demo');
  held.beginRelease(1);
  expect(held.grant(1, 'team/demo')).toBeUndefined();
  expect(held.canStartWork(1)).toBe(false);
  expect(grant?.isValid()).toBe(true);
  held.revoke(1);

  expect(grant?.isValid()).toBe(false);
  expect(held.isReleasing(1)).toBe(true);
});
