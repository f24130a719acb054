import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/**
 * The pause after a failure, doubled up to the maximum: a receiver that is unreachable for a day is tried a few times
 * an hour.
 */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** Maximum number of batches queued behind the one being sent: at shutdown, all remaining batches arrive at once. */
const MAX_QUEUED_BATCHES = 4;

interface Batch {
  readonly spans: ReadableSpan[];
  readonly callback: (result: ExportResult) => void;
}

/**
 * Sends one batch after another. After a failure, pauses for a while and drops the batches that arrive during the
 * pause.
 */
export class RetryingExporter implements SpanExporter {
  readonly counts = { exported: 0, lost: 0 };
  readonly #inner: SpanExporter;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queue: Batch[] = [];
  #isSending = false;
  #failures = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(inner: SpanExporter, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#inner = inner;
    this.#clock = clock;
    this.#log = log;
  }

  export(spans: ReadableSpan[], callback: (result: ExportResult) => void): void {
    if (this.#clock.now() < this.#notBeforeMs || this.#queue.length >= MAX_QUEUED_BATCHES) {
      this.#drop({ spans, callback });
      return;
    }
    this.#queue.push({ spans, callback });
    this.#sendNext();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #sendNext(): void {
    if (this.#isSending) return;
    const batch = this.#queue.shift();
    if (batch === undefined) return;
    this.#isSending = true;
    this.#inner.export(batch.spans, (result) => {
      this.#isSending = false;
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded(batch.spans.length);
      else this.#failed(batch.spans.length, result.error);
      batch.callback(result);
      this.#sendNext();
    });
  }

  #drop({ spans, callback }: Batch): void {
    this.counts.lost += spans.length;
    callback({ code: ExportResultCode.FAILED });
  }

  #succeeded(count: number): void {
    this.counts.exported += count;
    if (this.#failures > 0) this.#log.info({ lost: this.counts.lost }, 'traces are being delivered again');
    this.#failures = 0;
  }

  #failed(count: number, error: Error | undefined): void {
    this.counts.lost += count;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#notBeforeMs = this.#clock.now() + pauseMs;
    if (this.#failures === 0)
      this.#log.warn(
        { err: error?.message },
        'could not send traces; they are dropped until the receiver accepts them',
      );
    this.#failures++;
    for (const batch of this.#queue.splice(0)) this.#drop(batch);
  }
}
