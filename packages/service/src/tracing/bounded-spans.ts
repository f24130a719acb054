import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { RetryingExporter } from './retrying-exporter.ts';

/**
 * Forwards only as many ended spans as can be queued, and counts the rest as lost: a full processor would drop them
 * silently.
 */
export class BoundedSpans implements SpanProcessor {
  readonly #inner: SpanProcessor;
  readonly #exporter: Pick<RetryingExporter, 'counts'>;
  readonly #limit: number;
  #endedCount = 0;

  constructor(inner: SpanProcessor, exporter: Pick<RetryingExporter, 'counts'>, limit: number) {
    this.#inner = inner;
    this.#exporter = exporter;
    this.#limit = limit;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const { counts } = this.#exporter;
    this.#endedCount++;
    if (this.#endedCount - counts.exported - counts.lost > this.#limit) counts.lost++;
    else this.#inner.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}
