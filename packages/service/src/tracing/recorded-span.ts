import type { Attributes, Cause, Span, SpanOptions } from '@fairway/base/tracing';
import { type Span as OtelSpan, SpanStatusCode } from '@opentelemetry/api';

/** What a span requires of its tracer. */
export interface SpanFactory {
  /** Undefined if the trace is full. */
  child(parent: Cause, name: string, options: SpanOptions, gate: Gate | undefined): Span | undefined;
  wrote(version: string, cause: Cause): void;
}

/** Ended spans of a request that are buffered until its client is known. */
const MAX_BUFFERED_SPANS = 64;

/** Buffers the spans of a request until it is admitted. */
export class Gate {
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

/** A recorded span. After its end it keeps only its IDs, because work that it started may reference it for days. */
export class RecordedSpan implements Span, Cause {
  readonly traceId: string;
  readonly #spanId: string;
  readonly #factory: SpanFactory;
  readonly #gate: Gate | undefined;
  #inner: OtelSpan | undefined;

  constructor(inner: OtelSpan, factory: SpanFactory, gate: Gate | undefined) {
    const { traceId, spanId } = inner.spanContext();
    this.traceId = traceId;
    this.#spanId = spanId;
    this.#inner = inner;
    this.#factory = factory;
    this.#gate = gate;
  }

  /**
   * Sets the sampled flag only for spans that are certainly recorded here: an unauthenticated client must not decide
   * what other servers record.
   */
  get traceparent(): string {
    const isRecorded = this.#gate === undefined || this.#gate.isOpen;
    return `00-${this.traceId}-${this.#spanId}-${isRecorded ? '01' : '00'}`;
  }

  get isEnded(): boolean {
    return this.#inner === undefined;
  }

  child(name: string, options: SpanOptions = {}): Span | undefined {
    if (this.#inner === undefined || this.#gate?.isDropped) return undefined;
    return this.#factory.child(this, name, options, this.#gate);
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) this.#inner?.setAttribute(name, value);
    }
  }

  recordWrite(version: string): void {
    if (this.#inner === undefined || this.#gate?.isDropped) return;
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
    if (this.#gate === undefined) inner.end();
    else this.#gate.end(inner);
  }
}
