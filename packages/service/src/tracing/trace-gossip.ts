import type { Clock } from '@fairway/base/clock';
import { RecentMap } from '@fairway/base/recent-map';
import type { Cause } from '@fairway/base/tracing';
import { parseTraceParent } from '@opentelemetry/core';
import { z } from 'zod';

/** How long an entry is shared. Long enough for a replica that takes over after a kill to have read it. */
const SHARE_TTL_MS = 60_000;
/** With 64 entries of each kind, the message is about 14 KB. Lease renewals include it while there are traces. */
const MAX_SHARED_CAUSES = 64;
const MAX_RECEIVED_CHARS = 64 * 1024;
/** The maximum number of remembered announcements from all replicas. */
const MAX_ANNOUNCED_CAUSES = 1_000;

/** A kind or a UID, a namespace, a name and a number, without characters that JSON must escape. */
const NAME = /^[-A-Za-z0-9./]{1,400}$/;

const Entry = z.tuple([z.string().regex(NAME), z.string().length(55)]);
const gossipSchema = z.object({
  writes: z.array(Entry).max(MAX_SHARED_CAUSES),
  objects: z.array(Entry).max(MAX_SHARED_CAUSES),
});

interface SharedCause {
  readonly name: string;
  readonly cause: Cause;
  readonly atMs: number;
}

interface ReceivedCause {
  readonly version: string;
  readonly cause: Cause;
}

/**
 * Messages between replicas that let a trace continue when another replica reacts to a write. They contain the objects
 * that are being written, and those that have been written.
 */
export class TraceGossip {
  readonly #clock: Clock;
  readonly #announced = new RecentMap<{ readonly cause: Cause; readonly untilMs: number }>(MAX_ANNOUNCED_CAUSES);
  /** The last message from each replica. */
  readonly #received = new RecentMap<string>(64);
  #writes: readonly SharedCause[] = [];
  #objects: readonly SharedCause[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Announces that an object is about to be written. */
  announce(object: string, cause: Cause): void {
    if (!NAME.test(object)) return;
    this.#objects = [...this.#objects, this.#entry(object, cause)].slice(-MAX_SHARED_CAUSES);
    this.#remember(object, cause);
  }

  /** Records that this process wrote a version. */
  wrote(version: string, cause: Cause): void {
    if (isRecorded(cause) && NAME.test(version))
      this.#writes = [...this.#writes, this.#entry(version, cause)].slice(-MAX_SHARED_CAUSES);
  }

  /** The trace in which an object is being written, or recently was. */
  announced(object: string): Cause | undefined {
    const known = this.#announced.get(object);
    return known !== undefined && this.#clock.now() < known.untilMs ? known.cause : undefined;
  }

  /** The message for other replicas; undefined if there is nothing to share. */
  text(): string | undefined {
    const sinceMs = this.#clock.now() - SHARE_TTL_MS;
    const isRecent = ({ atMs }: SharedCause) => atMs > sinceMs;
    this.#writes = this.#writes.filter(isRecent);
    this.#objects = this.#objects.filter(isRecent);
    if (this.#writes.length + this.#objects.length === 0) return undefined;
    const entries = (causes: readonly SharedCause[]) => causes.map(({ name, cause }) => [name, cause.traceparent]);
    return JSON.stringify({ writes: entries(this.#writes), objects: entries(this.#objects) });
  }

  /** Processes another replica's message, and returns the writes in it. Invalid messages are ignored. */
  receive(from: string, text: string): readonly ReceivedCause[] {
    if (text.length > MAX_RECEIVED_CHARS || this.#received.get(from) === text) return [];
    this.#received.set(from, text);
    const gossip = gossipSchema.safeParse(parsed(text));
    if (!gossip.success) return [];
    for (const [object, traceparent] of gossip.data.objects) {
      const cause = decodeCause(traceparent);
      if (cause !== undefined) this.#remember(object, cause);
    }
    return gossip.data.writes.flatMap(([version, traceparent]) => {
      const cause = decodeCause(traceparent);
      return cause === undefined ? [] : [{ version, cause }];
    });
  }

  #entry(name: string, cause: Cause): SharedCause {
    const { traceId, traceparent } = cause;
    return { name, cause: { traceId, traceparent }, atMs: this.#clock.now() };
  }

  /** A repeated announcement does not extend its lifetime. */
  #remember(object: string, { traceId, traceparent }: Cause): void {
    if (this.#announced.get(object)?.cause.traceparent === traceparent) return;
    this.#announced.set(object, { cause: { traceId, traceparent }, untilMs: this.#clock.now() + SHARE_TTL_MS });
  }
}

function decodeCause(traceparent: string): Cause | undefined {
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
