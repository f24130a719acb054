import type { ClusterAuditObserver } from '@fairway/gateway/cluster-audit/cluster-audit-reader';
import { Counter, type Registry } from 'prom-client';

/** Counts entries in clusters' audit logs that are not events. */
export class ClusterAuditMetrics implements ClusterAuditObserver {
  readonly #skipped: Counter;

  constructor(registry: Registry) {
    this.#skipped = new Counter({
      name: 'fairway_cluster_audit_skipped_total',
      help: "Lines of clusters' audit logs that were skipped because they are too long or not audit events, and files that are not audit logs; counted on every read.",
      registers: [registry],
    });
  }

  onSkipped(lines: number): void {
    this.#skipped.inc(lines);
  }
}
