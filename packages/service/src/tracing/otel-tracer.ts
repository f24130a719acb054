import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import { TokenBuckets } from '@fairway/base/token-buckets';
import type {
  Attributes,
  Cause,
  RequestFacts,
  RequestSpan,
  Span,
  SpanOptions,
  TraceExchange,
  Tracer,
} from '@fairway/base/tracing';
import {
  type Tracer as OtelApi,
  type Attributes as OtelAttributes,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { RecordedSpan, SpanBuffer, type SpanFactory } from './recorded-span.ts';
import { TraceBounds } from './trace-bounds.ts';
import { TraceGossip } from './trace-gossip.ts';
import type { Sampling } from './tracing-settings.ts';

/** Number of object versions whose writers are remembered, at 200 bytes each. */
const MAX_CAUSES = 5_000;
/** Limits of traces that clients may request, per client and in total. */
const CLIENT_RATE = { burst: 30, perMinute: 60 };
const TOTAL_RATE = { burst: 300, perMinute: 600 };
const MAX_CLIENTS = 1_000;
/** Maximum length of a name, which contains the path of the request. */
const MAX_NAME_CHARS = 128;

export interface OtelTracerOptions {
  readonly api: OtelApi;
  readonly sampling: Sampling;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** OpenTelemetry spans for sampled requests and reconciles; the others cost only one random number each. */
export class OtelTracer implements Tracer, TraceExchange, SpanFactory {
  readonly #options: OtelTracerOptions;
  readonly #bounds: TraceBounds;
  readonly #causes = new RecentMap<Cause>(MAX_CAUSES);
  readonly #gossip: TraceGossip;
  readonly #clientLimits = new TokenBuckets(CLIENT_RATE, MAX_CLIENTS);
  readonly #totalLimit = new TokenBuckets(TOTAL_RATE, 1);

  constructor(options: OtelTracerOptions) {
    this.#options = options;
    this.#bounds = new TraceBounds(options.clock);
    this.#gossip = new TraceGossip(options.clock);
  }

  request(traceparent: string | undefined, describe: () => RequestFacts): RequestSpan | undefined {
    const { isParentBased } = this.#options.sampling;
    const client = isParentBased && traceparent !== undefined ? parseTraceParent(traceparent) : null;
    if (client === null) return this.#isSampled() ? this.#request(undefined, describe(), undefined) : undefined;
    if ((client.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
    return this.#request({ ...client, isRemote: true }, describe(), new SpanBuffer());
  }

  work(name: string, causes: readonly Cause[], attributes: Attributes): Span | undefined {
    const parent = causes.find(({ traceId }) => this.#bounds.reserveSpan(traceId));
    if (parent === undefined && !this.#isSampled()) return undefined;
    const links = causes.filter((cause) => cause !== parent);
    return this.#start(parent && contextOf(parent), name, { attributes }, { links });
  }

  causeOf(version: string, object?: string): Cause | undefined {
    return this.#causes.get(version) ?? (object === undefined ? undefined : this.#announcedCause(object));
  }

  announce(object: string, cause: Cause): void {
    this.#gossip.announce(object, cause);
  }

  payload(): string | undefined {
    return this.#gossip.text();
  }

  receive(from: string, gossip: string): void {
    for (const { version, cause } of this.#gossip.receive(from, gossip)) {
      this.#follow(cause);
      this.#causes.set(version, cause);
    }
  }

  #announcedCause(object: string): Cause | undefined {
    const cause = this.#gossip.announced(object);
    if (cause !== undefined) this.#follow(cause);
    return cause;
  }

  /** A trace that began in another process may continue here, under the same limits as a local trace. */
  #follow({ traceId }: Cause): void {
    if (this.#bounds.begin(traceId)) this.#bounds.recordWrite(traceId);
  }

  child(parent: Cause, name: string, options: SpanOptions, spanBuffer: SpanBuffer | undefined): Span | undefined {
    return this.#bounds.reserveSpan(parent.traceId)
      ? this.#start(contextOf(parent), name, options, { spanBuffer })
      : undefined;
  }

  wrote(version: string, { traceId, traceparent }: Cause): void {
    this.#bounds.recordWrite(traceId);
    this.#causes.set(version, { traceId, traceparent });
    this.#gossip.wrote(version, { traceId, traceparent });
  }

  #isSampled(): boolean {
    return this.#options.random() < this.#options.sampling.ratio;
  }

  #request(
    client: SpanContext | undefined,
    { name, attributes }: RequestFacts,
    spanBuffer: SpanBuffer | undefined,
  ): RequestSpan | undefined {
    // A client may reuse one trace ID for everything.
    if (client !== undefined && !this.#bounds.begin(client.traceId)) return undefined;
    const span = this.#start(client, name, { kind: 'server', attributes }, { spanBuffer });
    return Object.assign(span, {
      admit: (holder: string) => {
        if (spanBuffer?.isHeld) this.#decide(spanBuffer, holder);
      },
    });
  }

  /** Clients that request too many traces get only those that would have been sampled anyway. */
  #decide(spanBuffer: SpanBuffer, holder: string): void {
    const nowMs = this.#options.clock.now();
    const isKept =
      this.#isSampled() || (this.#clientLimits.tryTake(holder, nowMs) && this.#totalLimit.tryTake('', nowMs));
    if (isKept) spanBuffer.open();
    else spanBuffer.drop();
  }

  #start(
    parent: SpanContext | undefined,
    name: string,
    { kind, attributes = {} }: SpanOptions,
    {
      spanBuffer,
      links = [],
    }: { readonly spanBuffer?: SpanBuffer | undefined; readonly links?: readonly Cause[] } = {},
  ): RecordedSpan {
    const span = this.#options.api.startSpan(
      name.slice(0, MAX_NAME_CHARS),
      {
        kind: kind === undefined ? SpanKind.INTERNAL : kind === 'client' ? SpanKind.CLIENT : SpanKind.SERVER,
        attributes: definedAttributes(attributes),
        links: links.map((cause) => ({ context: contextOf(cause) })),
      },
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    if (parent === undefined) this.#bounds.begin(span.spanContext().traceId);
    return new RecordedSpan(span, this, spanBuffer);
  }
}

function contextOf({ traceId, traceparent }: Cause): SpanContext {
  return { traceId, spanId: traceparent.slice(36, 52), traceFlags: TraceFlags.SAMPLED };
}

function definedAttributes(attributes: Attributes): OtelAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
