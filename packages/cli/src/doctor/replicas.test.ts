import { formatMicroTime } from '@fairway/base/clock';
import { ShardLeases } from '@fairway/kube/controller/shard-leases';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import { replicaFindings } from './replicas.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const names = new ShardLeases('fairway-system', 'fairway', 4);

function leaseOf(metadata: Lease['metadata'], holderIdentity: string, ageMs: number): Lease {
  return { metadata, spec: { holderIdentity, leaseDurationSeconds: 8, renewTime: formatMicroTime(NOW_MS - ageMs) } };
}

const member = (name: string, ageMs: number) => leaseOf(names.memberMetadata(name), name, ageMs);
/** Leases of shards with these holders. Their renewTime is the time of acquisition, which may be long ago. */
const shards = (...holders: readonly string[]) =>
  holders.map((holder, shard) => leaseOf(names.shardMetadata(shard), holder, 3_600_000));

describe('fairway doctor reports replicas', () => {
  test.each([
    { reason: 'fairway up does not share clusters', leases: [], status: undefined, text: '' },
    {
      reason: 'all shards are assigned',
      leases: [member('a', 100), member('b', 2_000), ...shards('a', 'b', 'a', 'b')],
      status: 'ok',
      text: 'of 4 shards, a 2, b 2',
    },
    {
      reason: 'one replica was killed and not replaced yet',
      leases: [member('a', 100), member('b', 60_000), ...shards('a', 'b', 'a', '')],
      status: 'warning',
      text: 'a 2, 2 of them unassigned',
    },
    {
      reason: 'no replica is left',
      leases: [member('a', 60_000), ...shards('a', 'a', 'a', 'a')],
      status: 'error',
      text: 'no replica of Fairway is running',
    },
  ])('$reason', ({ leases, status, text }) => {
    const [finding] = replicaFindings(leases, NOW_MS);

    expect(finding?.status).toBe(status);
    expect(finding?.detail ?? '').toContain(text);
  });
});
