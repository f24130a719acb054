import type { ArchiveObserver } from '@fairway/apiserver/audit/namespace-archive';
import { Counter, type Registry } from 'prom-client';

/** Counts audit events that tenants should be able to read but can't. */
export class ArchiveMetrics implements ArchiveObserver {
  readonly #lostEvents: Counter;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#lostEvents = new Counter({
      name: 'fairway_audit_tenant_events_lost_total',
      help: 'Events in the audit log that tenants cannot read, because writes failed for too long.',
      registers,
    });
    this.#errors = new Counter({
      name: 'fairway_audit_tenant_write_errors_total',
      help: 'Failed attempts to write audit events for tenants; they are retried.',
      registers,
    });
  }

  onLost(events: number): void {
    this.#lostEvents.inc(events);
  }

  onWriteFailed(): void {
    this.#errors.inc();
  }
}
