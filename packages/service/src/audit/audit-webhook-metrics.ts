import type { AuditWebhookObserver, WebhookLoss } from '@fairway/apiserver/audit/audit-webhook';
import { Counter, type Registry } from 'prom-client';

/** Counts audit events that were sent to the webhook, and those that were lost. */
export class AuditWebhookMetrics implements AuditWebhookObserver {
  readonly #events: Counter;
  readonly #lostEvents: Counter<'reason'>;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#events = new Counter({
      name: 'fairway_audit_webhook_events_total',
      help: 'Events accepted by the audit webhook.',
      registers,
    });
    this.#lostEvents = new Counter({
      name: 'fairway_audit_webhook_events_lost_total',
      help: "Events that did not reach the audit webhook: 'buffer_full' if it accepted none for too long, 'rejected' if it rejected them permanently, 'shutdown' if Fairway stopped first.",
      labelNames: ['reason'],
      registers,
    });
    this.#errors = new Counter({
      name: 'fairway_audit_webhook_errors_total',
      help: 'Failed requests to the audit webhook; they are retried unless it rejects the events permanently.',
      registers,
    });
    for (const reason of ['buffer_full', 'rejected', 'shutdown'] satisfies WebhookLoss[])
      this.#lostEvents.inc({ reason }, 0);
  }

  onSent(events: number): void {
    this.#events.inc(events);
  }

  onLost(reason: WebhookLoss, events: number): void {
    this.#lostEvents.inc({ reason }, events);
  }

  onSendFailed(): void {
    this.#errors.inc();
  }
}
