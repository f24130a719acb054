import { AsyncLocalStorage } from 'node:async_hooks';

/** Attributes of a span. They never contain clients' secrets, nor error messages, which may quote them. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Side of a call; internal by default. */
  readonly kind?: 'client' | 'server';
  readonly attributes?: Attributes;
}

/** A span of a recorded trace: a request, a reconcile, a call. Unsampled work has no span at all. */
export interface Span {
  /** A string of 32 hexadecimal digits. */
  readonly traceId: string;
  /** W3C traceparent header for calls: `00-<trace>-<span>-01`, or `-00` while the trace may still be dropped. */
  readonly traceparent: string;
  /** Ends the span: nothing more is added to it, and the caller continues after it. */
  readonly isEnded: boolean;
  /** A child span; undefined once this span has ended, or if its trace is full. */
  child(name: string, options?: SpanOptions): Span | undefined;
  set(attributes: Attributes): void;
  /** Records that the span wrote this version of an object: work caused by it belongs to the same trace. */
  recordWrite(version: string): void;
  /** @param type one of a few words, such as `timeout`. */
  fail(type: string): void;
  end(): void;
}

/** The span of a client's request. None of it is exported until the request is admitted. */
export interface RequestSpan extends Span {
  /** Reports that the client is authenticated: `holder` identifies it for the rate limit of client-requested traces. */
  admit(holder: string): void;
}

/** The span that caused the work. */
export interface Cause {
  readonly traceId: string;
  readonly traceparent: string;
}

/** Describes a request; called only if it is recorded. */
export interface RequestFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Starts root spans; returns undefined for spans that are not recorded. */
export interface Tracer {
  /** @param traceparent the client's header. */
  request(traceparent: string | undefined, describe: () => RequestFacts): RequestSpan | undefined;
  /** Starts work caused by earlier writes: in the trace of the first cause, linked to the others. */
  work(name: string, causes: readonly Cause[], attributes: Attributes): Span | undefined;
  /**
   * The span that wrote a version of an object, as long as it is remembered; otherwise the span that announced a write
   * of the object.
   */
  causeOf(version: string, object?: string): Cause | undefined;
}

/** Trace information that processes exchange. */
export interface TraceExchange {
  /** Announces a write to an object in the current trace. */
  announce(object: string, cause: Cause): void;
  /** The trace information to send to other processes; undefined if there is none. Must be sent repeatedly. */
  payload(): string | undefined;
  /** Takes in trace information from another process. */
  receive(from: string, gossip: string): void;
}

const spans = new AsyncLocalStorage<Span | undefined>();

/** The caller's innermost span. It may have ended if the caller continues after it. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}

/** Runs `work` and everything it starts within a span; undefined means no span, even if the caller has one. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return spans.run(span, work);
}

/** The name of an object: kind, namespace and name. */
export function objectName(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** The name of a version of an object of any kind: its UID and resourceVersion. */
export function versionName(uid: string | undefined, resourceVersion: string | undefined): string | undefined {
  return uid === undefined || resourceVersion === undefined ? undefined : `${uid}/${resourceVersion}`;
}
