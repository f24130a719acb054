import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts of a span. Never anything that a client sent as a secret, nor texts of errors, which may quote it. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Which side of a call it is; a step within this process by default. */
  readonly kind?: 'client' | 'server';
  readonly attributes?: Attributes;
}

/** One step of a trace that is being recorded: a request, a reconcile, a call. What is not recorded has no span at all. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** W3C's header for whoever is called: `00-<trace>-<span>-01`, or `-00` as long as it may come to nothing. */
  readonly traceparent: string;
  /** Nothing is added to it any more: the caller goes on after it. */
  readonly isEnded: boolean;
  /** A step within this one; undefined once this one has ended, or if its trace has as many as it may have. */
  child(name: string, options?: SpanOptions): Span | undefined;
  set(attributes: Attributes): void;
  /** It wrote this version of an object: what is done because of it belongs to the same trace. */
  wrote(version: string): void;
  /** @param type a word of few, such as `timeout`. */
  fail(type: string): void;
  end(): void;
}

/** The span of a client's request. Until it is admitted, nothing of it leaves the process. */
export interface RequestSpan extends Span {
  /** The client is known: `holder` names him for the rate of traces that clients ask for. */
  admit(holder: string): void;
}

/** The span that work continues. */
export interface Cause {
  readonly traceId: string;
  readonly traceparent: string;
}

/** What a request is, asked for if it is recorded. */
export interface RequestFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Begins spans that are nobody's children, or undefined for those that are not recorded. */
export interface Tracer {
  /** @param traceparent the client's header. */
  request(traceparent: string | undefined, describe: () => RequestFacts): RequestSpan | undefined;
  /** Work that follows from what was written before: in the trace of the first cause, linked to the others. */
  work(name: string, causes: readonly Cause[], attributes: Attributes): Span | undefined;
  /** Which span wrote a version of an object, as long as it is remembered; else who announced to write the object. */
  causeOf(version: string, object?: string): Cause | undefined;
}

/** What processes that share the work tell each other of traces. */
export interface TraceExchange {
  /** An object is about to be written in this trace. */
  announce(object: string, cause: Cause): void;
  /** What the others are to know, undefined for nothing. It is to be told them again and again. */
  news(): string | undefined;
  /** What another one tells. */
  hear(from: string, news: string): void;
}

const spans = new AsyncLocalStorage<Span | undefined>();

/** The innermost span around the caller. It may have ended, if the caller goes on after it. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}

/** Runs `work` and everything it starts within a span; undefined means none, whatever the caller's. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return spans.run(span, work);
}

/** The name of an object: its kind with where it is. */
export function objectName(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** The name of a version of an object, of any kind: its UID with its resourceVersion. */
export function versionName(uid: string | undefined, resourceVersion: string | undefined): string | undefined {
  return uid === undefined || resourceVersion === undefined ? undefined : `${uid}/${resourceVersion}`;
}
