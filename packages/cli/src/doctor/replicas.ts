import { isMemberLease, shardOfLease } from '@fairway/kube/controller/shard-leases';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { type Finding, ok, problem, warning } from './finding.ts';

const CHECK = 'replicas';
const ADVICE = 'start another "fairway serve", or check the logs of the running ones';

/**
 * Replicas that share the clusters, from the Leases of their group; empty if there are none, as under `fairway up`.
 * Machines' clocks differ, so a replica counts as alive until its Lease has been expired for `graceMs`.
 */
export function replicaFindings(leases: readonly Lease[], nowMs: number, graceMs = 10_000): Finding[] {
  const shards = leases.filter((lease) => shardOfLease(lease) !== undefined);
  if (shards.length === 0) return [];
  const alive = new Set(leases.filter((lease) => isMemberLease(lease) && isAlive(lease, nowMs, graceMs)).map(holderOf));
  const orphans = shards.filter((lease) => !alive.has(holderOf(lease)));
  const shares = [...alive].sort().map((member) => {
    const shardCount = shards.filter((lease) => holderOf(lease) === member).length;
    return `${member} ${shardCount}`;
  });
  if (alive.size === 0)
    return [problem(CHECK, 'no replica of Fairway is running, so no cluster is reconciled', ADVICE)];
  const summary = `of ${shards.length} shards, ${shares.join(', ')}`;
  if (orphans.length === 0) return [ok(CHECK, summary)];
  return [warning(CHECK, `${summary}, ${orphans.length} of them unassigned`, ADVICE)];
}

function holderOf({ spec }: Lease): string {
  return spec?.holderIdentity ?? '';
}

function isAlive({ spec }: Lease, nowMs: number, graceMs: number): boolean {
  return Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? 0) * 1000 + graceMs > nowMs;
}
