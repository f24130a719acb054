import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { Cause } from '@fairway/base/tracing';
import { parseTraceParent } from '@opentelemetry/core';
import { z } from 'zod';

/** How long it is told: a replica that takes over after a kill has read it by then. */
const SHARED_MS = 60_000;
/** With 64 of each it is some 14 KB, with which a Lease is renewed while there are traces. */
const MAX_SHARED = 64;
const MAX_RECEIVED_CHARS = 64 * 1024;
/** Objects whose announcement is remembered, of all replicas. */
const MAX_ANNOUNCED = 1_000;

/** A kind or a UID, a namespace, a name, a number; nothing that JSON has to escape. */
const NAME = /^[-A-Za-z0-9./]{1,400}$/;

const Entry = z.tuple([z.string().regex(NAME), z.string().length(55)]);
const Gossip = z.object({ writes: z.array(Entry).max(MAX_SHARED), objects: z.array(Entry).max(MAX_SHARED) });

interface SharedCause {
  readonly name: string;
  readonly cause: Cause;
  readonly atMs: number;
}

interface ReceivedCause {
  readonly version: string;
  readonly cause: Cause;
}

/** What replicas tell each other, so that a trace leads on where another one follows from a write: what is being written, and what was. */
export class TraceGossip {
  readonly #clock: Clock;
  readonly #announced = new RecentMap<{ readonly cause: Cause; readonly untilMs: number }>(MAX_ANNOUNCED);
  /** The last words of each. */
  readonly #received = new RecentMap<string>(64);
  #writes: readonly SharedCause[] = [];
  #objects: readonly SharedCause[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An object is about to be written. */
  announce(object: string, cause: Cause): void {
    if (!NAME.test(object)) return;
    this.#objects = [...this.#objects, this.#entry(object, cause)].slice(-MAX_SHARED);
    this.#remember(object, cause);
  }

  /** A version was written here. */
  wrote(version: string, cause: Cause): void {
    if (isRecorded(cause) && NAME.test(version))
      this.#writes = [...this.#writes, this.#entry(version, cause)].slice(-MAX_SHARED);
  }

  /** Who writes an object, or did a while ago. */
  announced(object: string): Cause | undefined {
    const known = this.#announced.get(object);
    return known !== undefined && this.#clock.now() < known.untilMs ? known.cause : undefined;
  }

  /** What others are to know; undefined: nothing. */
  text(): string | undefined {
    const sinceMs = this.#clock.now() - SHARED_MS;
    const isYoung = ({ atMs }: SharedCause) => atMs > sinceMs;
    this.#writes = this.#writes.filter(isYoung);
    this.#objects = this.#objects.filter(isYoung);
    if (this.#writes.length + this.#objects.length === 0) return undefined;
    const entries = (told: readonly SharedCause[]) => told.map(({ name, cause }) => [name, cause.traceparent]);
    return JSON.stringify({ writes: entries(this.#writes), objects: entries(this.#objects) });
  }

  /** Takes what another tells, and answers with what it has written. What is none of it counts for nothing. */
  receive(from: string, text: string): readonly ReceivedCause[] {
    if (text.length > MAX_RECEIVED_CHARS || this.#received.get(from) === text) return [];
    this.#received.set(from, text);
    const gossip = Gossip.safeParse(parsed(text));
    if (!gossip.success) return [];
    for (const [object, traceparent] of gossip.data.objects) {
      const cause = causeIn(traceparent);
      if (cause !== undefined) this.#remember(object, cause);
    }
    return gossip.data.writes.flatMap(([version, traceparent]) => {
      const cause = causeIn(traceparent);
      return cause === undefined ? [] : [{ version, cause }];
    });
  }

  #entry(name: string, cause: Cause): SharedCause {
    const { traceId, traceparent } = cause;
    return { name, cause: { traceId, traceparent }, atMs: this.#clock.now() };
  }

  /** The same words again make it no younger. */
  #remember(object: string, { traceId, traceparent }: Cause): void {
    if (this.#announced.get(object)?.cause.traceparent === traceparent) return;
    this.#announced.set(object, { cause: { traceId, traceparent }, untilMs: this.#clock.now() + SHARED_MS });
  }
}

function causeIn(traceparent: string): Cause | undefined {
  const context = parseTraceParent(traceparent);
  const cause = context && { traceId: context.traceId, traceparent };
  return cause && isRecorded(cause) ? cause : undefined;
}

function isRecorded({ traceparent }: Cause): boolean {
  return traceparent.endsWith('-01');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
