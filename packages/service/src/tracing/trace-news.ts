import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { Cause } from '@fairway/base/tracing';
import { parseTraceParent } from '@opentelemetry/core';
import { z } from 'zod';

/** How long it is told: a replica that takes over after a kill has read it by then. */
const TOLD_MS = 60_000;
/** With 64 of each it is some 14 KB, with which a Lease is renewed while there are traces. */
const MAX_TOLD = 64;
const MAX_HEARD_CHARS = 64 * 1024;
/** Objects whose announcement is remembered, of all replicas. */
const MAX_ANNOUNCED = 1_000;

/** A kind or a UID, a namespace, a name, a number; nothing that JSON has to escape. */
const NAME = /^[-A-Za-z0-9./]{1,400}$/;

const Entry = z.tuple([z.string().regex(NAME), z.string().length(55)]);
const News = z.object({ writes: z.array(Entry).max(MAX_TOLD), objects: z.array(Entry).max(MAX_TOLD) });

interface Told {
  readonly name: string;
  readonly cause: Cause;
  readonly atMs: number;
}

interface Heard {
  readonly version: string;
  readonly cause: Cause;
}

/** What replicas tell each other, so that a trace leads on where another one follows from a write: what is being written, and what was. */
export class TraceNews {
  readonly #clock: Clock;
  readonly #announced = new RecentMap<{ readonly cause: Cause; readonly untilMs: number }>(MAX_ANNOUNCED);
  /** The last words of each. */
  readonly #heard = new RecentMap<string>(64);
  #writes: readonly Told[] = [];
  #objects: readonly Told[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An object is about to be written. */
  announce(object: string, cause: Cause): void {
    if (!NAME.test(object)) return;
    this.#objects = [...this.#objects, this.#entry(object, cause)].slice(-MAX_TOLD);
    this.#remember(object, cause);
  }

  /** A version was written here. */
  wrote(version: string, cause: Cause): void {
    if (isRecorded(cause) && NAME.test(version))
      this.#writes = [...this.#writes, this.#entry(version, cause)].slice(-MAX_TOLD);
  }

  /** Who writes an object, or did a while ago. */
  announced(object: string): Cause | undefined {
    const known = this.#announced.get(object);
    return known !== undefined && this.#clock.now() < known.untilMs ? known.cause : undefined;
  }

  /** What others are to know; undefined: nothing. */
  text(): string | undefined {
    const sinceMs = this.#clock.now() - TOLD_MS;
    const isYoung = ({ atMs }: Told) => atMs > sinceMs;
    this.#writes = this.#writes.filter(isYoung);
    this.#objects = this.#objects.filter(isYoung);
    if (this.#writes.length + this.#objects.length === 0) return undefined;
    const entries = (told: readonly Told[]) => told.map(({ name, cause }) => [name, cause.traceparent]);
    return JSON.stringify({ writes: entries(this.#writes), objects: entries(this.#objects) });
  }

  /** Takes what another tells, and answers with what it has written. What is none of it counts for nothing. */
  hear(from: string, text: string): readonly Heard[] {
    if (text.length > MAX_HEARD_CHARS || this.#heard.get(from) === text) return [];
    this.#heard.set(from, text);
    const news = News.safeParse(parsed(text));
    if (!news.success) return [];
    for (const [object, traceparent] of news.data.objects) {
      const cause = causeIn(traceparent);
      if (cause !== undefined) this.#remember(object, cause);
    }
    return news.data.writes.flatMap(([version, traceparent]) => {
      const cause = causeIn(traceparent);
      return cause === undefined ? [] : [{ version, cause }];
    });
  }

  #entry(name: string, cause: Cause): Told {
    const { traceId, traceparent } = cause;
    return { name, cause: { traceId, traceparent }, atMs: this.#clock.now() };
  }

  /** The same words again make it no younger. */
  #remember(object: string, { traceId, traceparent }: Cause): void {
    if (this.#announced.get(object)?.cause.traceparent === traceparent) return;
    this.#announced.set(object, { cause: { traceId, traceparent }, untilMs: this.#clock.now() + TOLD_MS });
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
