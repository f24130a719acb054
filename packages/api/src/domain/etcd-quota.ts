const MIB = 2 ** 20;

/** The quota settings of a plan. */
export interface EtcdQuotaRule {
  readonly baseMiB: number;
  readonly perNodeMiB: number;
  readonly maxMiB: number;
}

/**
 * Database quota, in bytes, for a cluster with this many nodes. `previousBytes` is the current quota: a quota never
 * shrinks, since a database that exceeds its quota rejects every write, including deletions.
 */
export function etcdQuotaBytes(rule: EtcdQuotaRule, nodes: number, previousBytes = 0): number {
  const quota = Math.min(rule.baseMiB + rule.perNodeMiB * nodes, rule.maxMiB) * MIB;
  return Math.max(quota, previousBytes);
}
