import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { waitAtMost } from '@fairway/base/wait-at-most';
import { ApiError } from '@fairway/kube/object/api-error';
import { type AuditEvent, auditLine, withoutBodies } from './audit-event.ts';
import { isRefused } from './audit-policy.ts';
import type { AuditSink } from './auditor.ts';

export interface ArchiveObserver {
  onLost(events: number): void;
  onWriteFailed(): void;
}

export interface NamespaceArchiveOptions {
  /** Contains a directory per namespace, created on demand. */
  readonly folder: string;
  readonly observer: ArchiveObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Performed and rejected requests are stored separately: a flood of one can't displace the other. */
type EntryKind = 'events' | 'refusals';

/**
 * Size of each of the two files per kind and namespace. Files are numbered, with the highest number for the newest, and
 * never renamed: if two processes both find a file full, both continue in the next, and neither overwrites the other's.
 */
export const ARCHIVE_FILE_BYTES: Readonly<Record<EntryKind, number>> = { events: 1024 * 1024, refusals: 256 * 1024 };

const FILES_PER_KIND = 2;
const KINDS: readonly EntryKind[] = ['events', 'refusals'];
/** Other strings can appear in place of a namespace in a path, and are not valid directory names. */
const NAMESPACE_PATTERN = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/** Buffer limits: a flood of rejections leaves room for performed requests. */
const MAX_BUFFERED_CHARS: Readonly<Record<EntryKind, number>> = { events: 3 * 1024 * 1024, refusals: 1024 * 1024 };
/** Concurrent events in a namespace are written together. */
const PAUSE_MS = 100;
const MAX_RETRY_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Maximum concurrent reads: each keeps a namespace's events in memory. */
const MAX_CONCURRENT_READS = 4;
/**
 * Rate limit per namespace: a read takes about 10 ms of CPU time, and repeated reads would slow down other requests.
 */
const READ_RATE: Rate = { burst: 30, perMinute: 120 };
const MAX_TRACKED_NAMESPACES = 10_000;
/** How long the archive of a deleted namespace is kept; the namespace may have been recreated in the meantime. */
const RETENTION_MS = 24 * 3_600_000;

/**
 * The newest audit events of each namespace, for its readers: at most 2.5 MiB, at level Metadata. Several processes may
 * write to the same directory.
 *
 * **Guarantees.** Requests never wait for it. Rejections have separate files, and are kept only for namespaces with
 * performed requests: unauthorized clients can't create files, and can displace only other rejections.
 */
export class NamespaceArchive implements AuditSink {
  readonly #options: NamespaceArchiveOptions;
  /** Entries not written yet, by namespace and kind. */
  readonly #waiting = new Map<string, Record<EntryKind, string[]>>();
  readonly #reads = new CallSlots(MAX_CONCURRENT_READS);
  readonly #readLimiter = new TokenBuckets(READ_RATE, MAX_TRACKED_NAMESPACES);
  readonly #closing = new AbortController();
  readonly #chars: Record<EntryKind, number> = { events: 0, refusals: 0 };
  #isFailing = false;
  #running: Promise<void> | undefined;

  constructor(options: NamespaceArchiveOptions) {
    this.#options = options;
  }

  record(line: string, event: AuditEvent): void {
    const namespace = event.objectRef?.namespace ?? '';
    if (!NAMESPACE_PATTERN.test(namespace)) return;
    const hasBodies = event.level !== 'Metadata';
    const text = hasBodies ? auditLine({ ...withoutBodies(event), level: 'Metadata' }) : line;
    const entry = `${event.stageTimestamp} ${text}`;
    const kind = kindOf(event);
    if (this.#chars[kind] + entry.length > MAX_BUFFERED_CHARS[kind] || this.#closing.signal.aborted) {
      this.#options.observer.onLost(1);
      return;
    }
    const waiting = this.#waiting.get(namespace) ?? { events: [], refusals: [] };
    this.#waiting.set(namespace, waiting);
    waiting[kind].push(entry);
    this.#chars[kind] += entry.length;
    this.#running ??= this.#run();
  }

  recordSuppressed(): void {
    // The failure has already been counted and logged.
  }

  /**
   * All archived events of a namespace, unordered and possibly with duplicates: each entry is the event's time, a space
   * and the event as JSON. Rejects with 429 if the namespace is read too often.
   */
  async read(namespace: string): Promise<readonly string[]> {
    if (!NAMESPACE_PATTERN.test(namespace)) return [];
    if (!this.#readLimiter.tryTake(namespace, this.#options.clock.now())) {
      const message = `the audit events of namespace ${namespace} are read too often: they can be read at most twice a second`;
      throw new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
    }
    const release = await this.#reads.enter();
    try {
      const { events = [], refusals = [] } = this.#waiting.get(namespace) ?? {};
      const found = [...events, ...refusals];
      for (const kind of KINDS) {
        for (const number of (await this.#fileNumbers(namespace, kind)).slice(0, FILES_PER_KIND)) {
          found.push(...(await linesOf(this.#path(namespace, kind, number))));
        }
      }
      return found;
    } finally {
      release();
    }
  }

  /** Deletes the archives of namespaces that were deleted a day ago or earlier. */
  async sweep(existing: ReadonlySet<string>): Promise<void> {
    const { folder, clock } = this.#options;
    for (const namespace of await readdir(folder).catch(() => [])) {
      if (existing.has(namespace) || this.#waiting.has(namespace)) continue;
      const path = join(folder, namespace);
      const names = await readdir(path).catch(() => []);
      const times = await Promise.all(names.map((name) => modifiedMs(join(path, name))));
      if (clock.now() - Math.max(0, ...times) > RETENTION_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** Makes one attempt to write the buffered entries; takes at most 5 s. */
  async close(): Promise<void> {
    const { clock, observer } = this.#options;
    this.#closing.abort();
    await waitAtMost(CLOSE_TIMEOUT_MS, clock, this.#running);
    for (const waiting of this.#waiting.values()) observer.onLost(waiting.events.length + waiting.refusals.length);
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    try {
      for (let failures = 0; this.#waiting.size > 0; ) {
        const pauseMs = failures === 0 ? PAUSE_MS : Math.min(1_000 * 2 ** (failures - 1), MAX_RETRY_MS);
        await this.#options.clock.sleep(pauseMs, this.#closing.signal).catch(() => undefined);
        const error = await this.#writeAll();
        failures = error === undefined ? 0 : failures + 1;
        this.#report(error);
        if (error !== undefined && this.#closing.signal.aborted) return;
      }
    } finally {
      // Must happen immediately: otherwise events recorded from here on would wait for the next write.
      this.#running = undefined;
    }
  }

  /** Always resolves, with the last error if there was one. */
  async #writeAll(): Promise<unknown> {
    let failure: unknown;
    for (const [namespace, waiting] of this.#waiting) {
      for (const kind of KINDS) {
        const entries = firstEntries(waiting[kind], ARCHIVE_FILE_BYTES[kind] / 4);
        if (entries.length === 0) continue;
        try {
          await this.#append(namespace, kind, entries);
        } catch (error) {
          failure = error;
          this.#options.observer.onWriteFailed();
          continue;
        }
        waiting[kind].splice(0, entries.length);
        this.#chars[kind] -= entries.reduce((sum, { length }) => sum + length, 0);
      }
      if (KINDS.every((kind) => waiting[kind].length === 0)) this.#waiting.delete(namespace);
    }
    return failure;
  }

  async #append(namespace: string, kind: EntryKind, entries: readonly string[]): Promise<void> {
    const folder = join(this.#options.folder, namespace);
    if (kind === 'events') await mkdir(folder, { recursive: true, mode: 0o700 });
    else if ((await stat(folder).catch(() => undefined)) === undefined) return;
    // A line truncated earlier, by a full disk or a crash, is terminated first.
    const bytes = Buffer.from(`\n${entries.join('\n')}\n`);
    const [newest = 0] = await this.#fileNumbers(namespace, kind);
    const { size = 0 } = (await stat(this.#path(namespace, kind, newest)).catch(() => undefined)) ?? {};
    const number = size > 0 && size + bytes.length > ARCHIVE_FILE_BYTES[kind] ? newest + 1 : newest;
    await appendTo(this.#path(namespace, kind, number), bytes);
    const numbers = await this.#fileNumbers(namespace, kind);
    // In the meantime, another process may have filled two files, so this one may already be deleted.
    const [last = number] = numbers;
    if (last >= number + FILES_PER_KIND) await appendTo(this.#path(namespace, kind, last), bytes);
    for (const old of numbers.slice(FILES_PER_KIND)) await rm(this.#path(namespace, kind, old), { force: true });
  }

  /** The files of one kind, newest first. */
  async #fileNumbers(namespace: string, kind: EntryKind): Promise<readonly number[]> {
    const names = await readdir(join(this.#options.folder, namespace)).catch(() => []);
    return names
      .flatMap((name) => {
        const [, of, number = '0'] = /^([a-z]+)(?:-(\d{1,15}))?\.log$/.exec(name) ?? [];
        return of === kind ? [Number(number)] : [];
      })
      .sort((a, b) => b - a);
  }

  #report(error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const { log } = this.#options;
    if (isFailing) log.error({ err: error }, "tenants' audit events cannot be written: they wait in memory");
    else log.warn({}, "tenants' audit events are written again");
  }

  #path(namespace: string, kind: EntryKind, number: number): string {
    return join(this.#options.folder, namespace, `${kind}${number === 0 ? '' : `-${number}`}.log`);
  }
}

/**
 * Whether a request counts as a rejection. All requests from unauthorized clients do, even if the client disconnected
 * before the response, or was rejected before authorization because of an invalid header or too many requests. If an
 * aggregated API server makes the decision, the client's permissions are unknown, so failures there also count as
 * rejections.
 */
function kindOf({ user, responseStatus, annotations }: AuditEvent): EntryKind {
  const isKnown = user.username !== undefined;
  const status = responseStatus?.code ?? 0;
  if (!isKnown || isRefused({ status, isKnown })) return 'refusals';
  const isDone = status !== 0 && status < 400;
  return isDone || annotations?.['authorization.k8s.io/decision'] === 'allow' ? 'events' : 'refusals';
}

/** Takes at least one entry if there are any in the buffer. A character takes up to three bytes. */
function firstEntries(entries: readonly string[], maxChars: number): readonly string[] {
  let chars = 0;
  const end = entries.findIndex((entry, index) => {
    chars += entry.length;
    return index > 0 && chars > maxChars;
  });
  return entries.slice(0, end < 0 ? undefined : end);
}

async function appendTo(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'a', 0o600);
  await file.appendFile(bytes);
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // A truncated line has no newline.
  return text.split('\n').filter((line) => line.endsWith('}'));
}

async function modifiedMs(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
