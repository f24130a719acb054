import type { ClusterAuditObserver } from '@fairway/gateway/cluster-audit/cluster-audit-reader';
import { Counter, type Registry } from 'prom-client';

/** Counts what stands in clusters' audit logs and is no event. */
export class ClusterAuditMetrics implements ClusterAuditObserver {
  readonly #skipped: Counter;

  constructor(registry: Registry) {
    this.#skipped = new Counter({
      name: 'fairway_cluster_audit_skipped_total',
      help: "Lines of clusters' audit logs that were read and left out, because they are too long or no audit events, and files that are not such a log: each counts whenever it is read.",
      registers: [registry],
    });
  }

  skipped(lines: number): void {
    this.#skipped.inc(lines);
  }
}
