const MIB = 2 ** 20;

/** The rule of a plan. */
export interface EtcdQuotaRule {
  readonly baseMiB: number;
  readonly perNodeMiB: number;
  readonly maxMiB: number;
}

/**
 * Bytes that a cluster's database may have with so many nodes. `previousBytes` is what it had: a quota never shrinks, since
 * a database that holds more than its quota refuses every write, the deletion of objects included.
 */
export function etcdQuotaBytes(rule: EtcdQuotaRule, nodes: number, previousBytes = 0): number {
  const quota = Math.min(rule.baseMiB + rule.perNodeMiB * nodes, rule.maxMiB) * MIB;
  return Math.max(quota, previousBytes);
}
