import type { Attributes, Cause, Span, SpanOptions } from '@fairway/base/tracing';
import { type Span as OtelSpan, SpanStatusCode } from '@opentelemetry/api';

/** The functions of the tracer that a span uses. */
export interface SpanFactory {
  /** Undefined if the trace is full. */
  child(parent: Cause, name: string, options: SpanOptions, spanBuffer: SpanBuffer | undefined): Span | undefined;
  wrote(version: string, cause: Cause): void;
}

/** Maximum number of ended spans of a request that are buffered until the client is known. */
const MAX_BUFFERED_SPANS = 64;

/** Buffers the spans of a request until it is admitted. */
export class SpanBuffer {
  #state: 'held' | 'open' | 'dropped' = 'held';
  #bufferedSpans: { readonly span: OtelSpan; readonly at: Date }[] = [];

  get isDropped(): boolean {
    return this.#state === 'dropped';
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  open(): void {
    this.#state = 'open';
    for (const { span, at } of this.#bufferedSpans.splice(0)) span.end(at);
  }

  drop(): void {
    this.#state = 'dropped';
    this.#bufferedSpans = [];
  }

  end(span: OtelSpan): void {
    if (this.#state === 'open') span.end();
    else if (this.#state === 'held' && this.#bufferedSpans.length < MAX_BUFFERED_SPANS)
      this.#bufferedSpans.push({ span, at: new Date() });
  }
}

/** A recorded span. Once ended, it keeps only its IDs, because work that it started may reference it for days. */
export class RecordedSpan implements Span, Cause {
  readonly traceId: string;
  readonly #spanId: string;
  readonly #factory: SpanFactory;
  readonly #spanBuffer: SpanBuffer | undefined;
  #inner: OtelSpan | undefined;

  constructor(inner: OtelSpan, factory: SpanFactory, spanBuffer: SpanBuffer | undefined) {
    const { traceId, spanId } = inner.spanContext();
    this.traceId = traceId;
    this.#spanId = spanId;
    this.#inner = inner;
    this.#factory = factory;
    this.#spanBuffer = spanBuffer;
  }

  /**
   * Sets the sampled flag only for spans that are certainly recorded here, because an unauthenticated client must not
   * decide what other servers record.
   */
  get traceparent(): string {
    const isRecorded = this.#spanBuffer === undefined || this.#spanBuffer.isOpen;
    return `00-${this.traceId}-${this.#spanId}-${isRecorded ? '01' : '00'}`;
  }

  get isEnded(): boolean {
    return this.#inner === undefined;
  }

  child(name: string, options: SpanOptions = {}): Span | undefined {
    if (this.#inner === undefined || this.#spanBuffer?.isDropped) return undefined;
    return this.#factory.child(this, name, options, this.#spanBuffer);
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) this.#inner?.setAttribute(name, value);
    }
  }

  recordWrite(version: string): void {
    if (this.#inner === undefined || this.#spanBuffer?.isDropped) return;
    this.#factory.wrote(version, { traceId: this.traceId, traceparent: this.traceparent });
  }

  fail(type: string): void {
    this.#inner?.setStatus({ code: SpanStatusCode.ERROR });
    this.set({ 'error.type': type });
  }

  end(): void {
    const inner = this.#inner;
    this.#inner = undefined;
    if (inner === undefined) return;
    if (this.#spanBuffer === undefined) inner.end();
    else this.#spanBuffer.end(inner);
  }
}
