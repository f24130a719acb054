import type { AuditLoss, AuditObserver } from '@fairway/apiserver/audit/audit-log';
import { Counter, type Registry } from 'prom-client';

/** Counts written and lost audit events. */
export class AuditMetrics implements AuditObserver {
  readonly #events: Counter;
  readonly #lostEvents: Counter<'reason'>;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#events = new Counter({
      name: 'fairway_audit_events_total',
      help: 'Events written to the audit log.',
      registers,
    });
    this.#lostEvents = new Counter({
      name: 'fairway_audit_events_lost_total',
      help: "Events missing from the audit log: 'buffer_full' if writes failed for too long, 'refusal_rate' if one caller was rejected too often.",
      labelNames: ['reason'],
      registers,
    });
    this.#errors = new Counter({
      name: 'fairway_audit_write_errors_total',
      help: 'Failed attempts to write to the audit log; they are retried.',
      registers,
    });
    for (const reason of ['buffer_full', 'refusal_rate'] satisfies AuditLoss[]) this.#lostEvents.inc({ reason }, 0);
  }

  onWritten(events: number): void {
    this.#events.inc(events);
  }

  onLost(reason: AuditLoss, events: number): void {
    this.#lostEvents.inc({ reason }, events);
  }

  onWriteFailed(): void {
    this.#errors.inc();
  }
}
