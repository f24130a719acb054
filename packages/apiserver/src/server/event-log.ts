import type { Change, Entry } from '../store/store.ts';

export interface EventLogLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

interface LoggedEvent {
  readonly change: Change;
  readonly atMs: number;
}

/** Node heartbeats, which make up most writes in an idle cluster. */
const HEARTBEAT_BUCKET = 'leases.coordination.k8s.io';
/** Watchers of these buckets get events continuously, and never resume from an old revision. */
const MAX_HEARTBEATS = 64;

/**
 * A log of a server's latest changes, in order of revision. Watches resume from it, and paged lists read older states.
 * Heartbeats are kept separately: the heartbeats of ten nodes would displace everything else in eight minutes, and
 * take half a megabyte.
 */
export class EventLog {
  readonly #changes: BoundedLog;
  readonly #heartbeats: BoundedLog;

  constructor(revision: number, limits: EventLogLimits) {
    this.#changes = new BoundedLog(revision, limits);
    this.#heartbeats = new BoundedLog(revision, { ...limits, maxEvents: Math.min(limits.maxEvents, MAX_HEARTBEATS) });
  }

  /** All changes to the bucket after this revision are retained. */
  compactedRevision(bucket: string): number {
    return this.#logOf(bucket).compactedRevision;
  }

  push(change: Change, nowMs: number): void {
    this.#logOf(change.bucket).push(change, nowMs);
    // Other changes expire even if there are only heartbeats.
    this.#changes.forget(nowMs);
  }

  /** Changes to a bucket after `revision`, oldest first. */
  since(revision: number, bucket: string): Change[] {
    return this.#logOf(bucket).since(revision, bucket);
  }

  /** The bucket's current `entries` (in key order) as of `revision`, which must not be compacted. */
  rewind(entries: readonly Entry[], bucket: string, prefix: string, revision: number): readonly Entry[] {
    const changes = this.since(revision, bucket).filter((change) => change.entry.key.startsWith(prefix));
    if (changes.length === 0) return entries;
    const entriesByKey = new Map(entries.map((entry) => [entry.key, entry]));
    for (const { entry, previous } of changes.toReversed()) {
      if (previous === undefined) entriesByKey.delete(entry.key);
      else entriesByKey.set(entry.key, previous);
    }
    return [...entriesByKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #logOf(bucket: string): BoundedLog {
    return bucket === HEARTBEAT_BUCKET ? this.#heartbeats : this.#changes;
  }
}

class BoundedLog {
  readonly #limits: EventLogLimits;
  /** Newest last; changes before `#first` are compacted. */
  #events: (LoggedEvent | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #compactedRevision: number;

  constructor(revision: number, limits: EventLogLimits) {
    this.#compactedRevision = revision;
    this.#limits = limits;
  }

  /** All changes after this revision are retained, and no earlier changes. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  push(change: Change, nowMs: number): void {
    this.#events.push({ change, atMs: nowMs });
    this.#bytes += sizeOf(change);
    this.forget(nowMs);
  }

  /** Changes to a bucket after `revision`, oldest first. */
  since(revision: number, bucket: string): Change[] {
    const changes: Change[] = [];
    for (let index = this.#indexAfter(revision); index < this.#events.length; index++) {
      const { change } = this.#events[index] as LoggedEvent;
      if (change.bucket === bucket) changes.push(change);
    }
    return changes;
  }

  #indexAfter(revision: number): number {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as LoggedEvent).change.entry.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops entries that exceed the limits now. */
  forget(nowMs: number): void {
    const { maxEvents, maxBytes, maxAgeMs } = this.#limits;
    for (;;) {
      const oldest = this.#events[this.#first];
      if (oldest === undefined) break;
      const held = this.#events.length - this.#first;
      if (held <= maxEvents && this.#bytes <= maxBytes && nowMs - oldest.atMs <= maxAgeMs) break;
      this.#bytes -= sizeOf(oldest.change);
      this.#compactedRevision = oldest.change.entry.revision;
      this.#events[this.#first++] = undefined;
    }
    if (this.#first > 64 && this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }
}

/** Memory used by a change that only the log references. */
function sizeOf(change: Change): number {
  return 200 + (change.previous?.text.length ?? 0) + (change.removed ? change.entry.text.length : 0);
}
