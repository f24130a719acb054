import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { endedWithin } from '@fairway/base/ended-within';
import type { Logger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ApiError } from '@fairway/kube/object/api-error';
import { type AuditEvent, auditLine, withoutBodies } from './audit-event.ts';
import { isRefused } from './audit-policy.ts';
import type { AuditSink } from './auditor.ts';

export interface ArchiveObserver {
  lost(events: number): void;
  writeFailed(): void;
}

export interface NamespaceArchiveOptions {
  /** Contains a folder for each namespace; made when it is needed. */
  readonly folder: string;
  readonly observer: ArchiveObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What was done, and what was refused: nobody can have the one forgotten by causing the other. */
type Kind = 'events' | 'refusals';

/**
 * Of each of the two files that a kind has in a namespace. They are numbered, the newest with the highest number, and none is ever renamed: of two
 * processes that find one full both go on in the next, and neither puts it in the place of what the other has just put aside.
 */
export const ARCHIVE_FILE_BYTES: Readonly<Record<Kind, number>> = { events: 1024 * 1024, refusals: 256 * 1024 };

const FILES = 2;
const KINDS: readonly Kind[] = ['events', 'refusals'];
/** What else a path may have in the place of a namespace is no name of a folder. */
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/** What waits: a flood of refusals leaves room for what was done. */
const MAX_BUFFERED_CHARS: Readonly<Record<Kind, number>> = { events: 3 * 1024 * 1024, refusals: 1024 * 1024 };
/** Events of a namespace that come at once are written at once. */
const PAUSE_MS = 100;
const LONGEST_RETRY_MS = 30_000;
const CLOSE_PATIENCE_MS = 5_000;
/** Each holds what a namespace has in memory. */
const READS_AT_ONCE = 4;
/** Of one namespace: a read takes some 10 ms of CPU, which who reads over and over would take from others. */
const READS: Rate = { burst: 30, perMinute: 120 };
const PACED_NAMESPACES = 10_000;
/** How long a namespace that is gone is kept; a new one may have been made just now. */
const KEPT_MS = 24 * 3_600_000;

/**
 * The newest audit events of each namespace, for who may read them: at most 2.5 MiB, at level Metadata. Several processes may write into one folder.
 *
 * **Guarantees.** Requests never wait for it. Refusals have files of their own, and are kept for namespaces alone in which somebody has done something:
 * who may do nothing neither makes files nor displaces anything but refusals.
 */
export class NamespaceArchive implements AuditSink {
  readonly #options: NamespaceArchiveOptions;
  /** Entries that are not written yet, by namespace and kind. */
  readonly #waiting = new Map<string, Record<Kind, string[]>>();
  readonly #reads = new CallSlots(READS_AT_ONCE);
  readonly #pace = new TokenBuckets(READS, PACED_NAMESPACES);
  readonly #closing = new AbortController();
  readonly #chars: Record<Kind, number> = { events: 0, refusals: 0 };
  #isFailing = false;
  #running: Promise<void> | undefined;

  constructor(options: NamespaceArchiveOptions) {
    this.#options = options;
  }

  record(line: string, event: AuditEvent): void {
    const namespace = event.objectRef?.namespace ?? '';
    if (!NAMESPACE.test(namespace)) return;
    const hasBodies = event.level !== 'Metadata';
    const text = hasBodies ? auditLine({ ...withoutBodies(event), level: 'Metadata' }) : line;
    const entry = `${event.stageTimestamp} ${text}`;
    const kind = kindOf(event);
    if (this.#chars[kind] + entry.length > MAX_BUFFERED_CHARS[kind] || this.#closing.signal.aborted) {
      this.#options.observer.lost(1);
      return;
    }
    const waiting = this.#waiting.get(namespace) ?? { events: [], refusals: [] };
    this.#waiting.set(namespace, waiting);
    waiting[kind].push(entry);
    this.#chars[kind] += entry.length;
    this.#running ??= this.#run();
  }

  suppressed(): void {
    // The log counts it.
  }

  /**
   * All that is kept of a namespace, in no order, some of it twice: each entry is the time of the event, a space and the event as JSON. Rejects with 429 if it
   * is read too often.
   */
  async read(namespace: string): Promise<readonly string[]> {
    if (!NAMESPACE.test(namespace)) return [];
    if (!this.#pace.take(namespace, this.#options.clock.now())) {
      const message = `the audit events of namespace ${namespace} are read too often: they are at most twice a second`;
      throw new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
    }
    const leave = await this.#reads.enter();
    try {
      const { events = [], refusals = [] } = this.#waiting.get(namespace) ?? {};
      const found = [...events, ...refusals];
      for (const kind of KINDS) {
        for (const number of (await this.#numbers(namespace, kind)).slice(0, FILES)) {
          found.push(...(await linesOf(this.#path(namespace, kind, number))));
        }
      }
      return found;
    } finally {
      leave();
    }
  }

  /** Deletes what is kept of namespaces that are gone for a day. */
  async sweep(existing: ReadonlySet<string>): Promise<void> {
    const { folder, clock } = this.#options;
    for (const namespace of await readdir(folder).catch(() => [])) {
      if (existing.has(namespace) || this.#waiting.has(namespace)) continue;
      const path = join(folder, namespace);
      const names = await readdir(path).catch(() => []);
      const times = await Promise.all(names.map((name) => modifiedMs(join(path, name))));
      if (clock.now() - Math.max(0, ...times) > KEPT_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** Writes what waits, with one attempt; takes 5 s at most. */
  async close(): Promise<void> {
    const { clock, observer } = this.#options;
    this.#closing.abort();
    await endedWithin(CLOSE_PATIENCE_MS, clock, this.#running);
    for (const waiting of this.#waiting.values()) observer.lost(waiting.events.length + waiting.refusals.length);
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    try {
      for (let failures = 0; this.#waiting.size > 0; ) {
        const pauseMs = failures === 0 ? PAUSE_MS : Math.min(1_000 * 2 ** (failures - 1), LONGEST_RETRY_MS);
        await this.#options.clock.sleep(pauseMs, this.#closing.signal).catch(() => undefined);
        const error = await this.#writeAll();
        failures = error === undefined ? 0 : failures + 1;
        this.#report(error);
        if (error !== undefined && this.#closing.signal.aborted) return;
      }
    } finally {
      // At once: what is recorded from here on would wait for the event after it.
      this.#running = undefined;
    }
  }

  /** Resolves with the last error. */
  async #writeAll(): Promise<unknown> {
    let failure: unknown;
    for (const [namespace, waiting] of this.#waiting) {
      for (const kind of KINDS) {
        const entries = firstOf(waiting[kind], ARCHIVE_FILE_BYTES[kind] / 4);
        if (entries.length === 0) continue;
        try {
          await this.#append(namespace, kind, entries);
        } catch (error) {
          failure = error;
          this.#options.observer.writeFailed();
          continue;
        }
        waiting[kind].splice(0, entries.length);
        this.#chars[kind] -= entries.reduce((sum, { length }) => sum + length, 0);
      }
      if (KINDS.every((kind) => waiting[kind].length === 0)) this.#waiting.delete(namespace);
    }
    return failure;
  }

  async #append(namespace: string, kind: Kind, entries: readonly string[]): Promise<void> {
    const folder = join(this.#options.folder, namespace);
    if (kind === 'events') await mkdir(folder, { recursive: true, mode: 0o700 });
    else if ((await stat(folder).catch(() => undefined)) === undefined) return;
    // Whatever was cut off before, by a full disk or an end, is a line of its own.
    const bytes = Buffer.from(`\n${entries.join('\n')}\n`);
    const [newest = 0] = await this.#numbers(namespace, kind);
    const { size = 0 } = (await stat(this.#path(namespace, kind, newest)).catch(() => undefined)) ?? {};
    const number = size > 0 && size + bytes.length > ARCHIVE_FILE_BYTES[kind] ? newest + 1 : newest;
    await appendTo(this.#path(namespace, kind, number), bytes);
    const numbers = await this.#numbers(namespace, kind);
    // Another process may have filled two files meanwhile, and this one would have gone with those before them.
    const [last = number] = numbers;
    if (last >= number + FILES) await appendTo(this.#path(namespace, kind, last), bytes);
    for (const old of numbers.slice(FILES)) await rm(this.#path(namespace, kind, old), { force: true });
  }

  /** Of a kind's files, the newest first. */
  async #numbers(namespace: string, kind: Kind): Promise<readonly number[]> {
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

  #path(namespace: string, kind: Kind, number: number): string {
    return join(this.#options.folder, namespace, `${kind}${number === 0 ? '' : `-${number}`}.log`);
  }
}

/**
 * What a stranger caused is a refusal, also where he went before he heard so, or was turned away before it was known what he may: for a header that is wrong, or too many requests. Where another API
 * server decides, it is not known what was allowed; what failed there is a refusal, too.
 */
function kindOf({ user, responseStatus, annotations }: AuditEvent): Kind {
  const isKnown = user.username !== undefined;
  const status = responseStatus?.code ?? 0;
  if (!isKnown || isRefused({ status, isKnown })) return 'refusals';
  const isDone = status !== 0 && status < 400;
  return isDone || annotations?.['authorization.k8s.io/decision'] === 'allow' ? 'events' : 'refusals';
}

/** At least one, if there is one; a character takes up to three bytes. */
function firstOf(entries: readonly string[], maxChars: number): readonly string[] {
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
  // One that was cut off has no end.
  return text.split('\n').filter((line) => line.endsWith('}'));
}

async function modifiedMs(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
