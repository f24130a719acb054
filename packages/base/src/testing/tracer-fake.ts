import type { Attributes, Cause, RequestFacts, RequestSpan, Span, Tracer } from '../tracing.ts';

/** A recorded span. */
export class FakeSpan implements RequestSpan {
  readonly traceId: string;
  readonly traceparent: string;
  readonly name: string;
  readonly links: readonly Cause[];
  readonly attributes: Record<string, Attributes[string]>;
  /** Includes ended spans. */
  readonly children: FakeSpan[] = [];
  isEnded = false;
  holder: string | undefined;
  readonly #causes: Map<string, Cause>;

  constructor(
    name: string,
    attributes: Attributes,
    { causes, traceId, links = [] }: { causes: Map<string, Cause>; traceId: string; links?: readonly Cause[] },
  ) {
    this.name = name;
    this.attributes = { ...attributes };
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${String(spanCount++).padStart(16, '0')}-01`;
    this.links = links;
    this.#causes = causes;
  }

  admit(holder: string): void {
    this.holder = holder;
  }

  child(name: string, { attributes = {} }: { readonly attributes?: Attributes } = {}): Span | undefined {
    if (this.isEnded) return undefined;
    const child = new FakeSpan(name, attributes, { causes: this.#causes, traceId: this.traceId });
    this.children.push(child);
    return child;
  }

  set(attributes: Attributes): void {
    Object.assign(this.attributes, attributes);
  }

  recordWrite(version: string): void {
    this.#causes.set(version, this);
  }

  fail(type: string): void {
    this.set({ 'error.type': type });
  }

  end(): void {
    this.isEnded = true;
  }
}

let spanCount = 1;

/** A tracer that records everything. */
export class FakeTracer implements Tracer {
  readonly causes = new Map<string, Cause>();
  /** Writers of objects, by object name. */
  readonly announcedWriters = new Map<string, Cause>();
  /** Root spans, in order. */
  readonly rootSpans: FakeSpan[] = [];
  #traces = 1;

  request(traceparent: string | undefined, describe: () => RequestFacts): RequestSpan {
    const { name, attributes } = describe();
    return this.#add(name, attributes, traceparent?.slice(3, 35), []);
  }

  work(name: string, causes: readonly Cause[], attributes: Attributes): Span {
    return this.#add(name, attributes, causes[0]?.traceId, causes);
  }

  causeOf(version: string, object?: string): Cause | undefined {
    return this.causes.get(version) ?? (object === undefined ? undefined : this.announcedWriters.get(object));
  }

  #add(name: string, attributes: Attributes, traceId: string | undefined, links: readonly Cause[]): FakeSpan {
    const own = traceId ?? String(this.#traces++).padStart(32, '0');
    const span = new FakeSpan(name, attributes, { causes: this.causes, traceId: own, links });
    this.rootSpans.push(span);
    return span;
  }
}
