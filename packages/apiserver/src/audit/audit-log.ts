import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { waitAtMost } from '@fairway/base/wait-at-most';
import type { AuditSink } from './auditor.ts';

/** Writes whole lines; rejects if no line was written. */
export interface LineWriter {
  write(lines: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Why an event was dropped: the buffer was full, or its caller exceeded the budget for refusals. */
export type AuditLoss = 'buffer_full' | 'refusal_rate';

export interface AuditObserver {
  onWritten(events: number): void;
  onLost(reason: AuditLoss, events: number): void;
  onWriteFailed(): void;
}

export interface AuditLogOptions {
  readonly writer: LineWriter;
  readonly observer: AuditObserver;
  readonly clock: Clock;
  readonly log: Logger;
  /** The buffer size while writes fail; 8 MiB by default. */
  readonly maxBufferedBytes?: number;
}

const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const MAX_BATCH_BYTES = 256 * 1024;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** How long to wait for a write that hangs. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * A buffered audit log. Requests never wait for it: lines are held in a bounded buffer, failed writes are retried, and
 * lines that don't fit are counted as lost. The first failure and the recovery are logged.
 */
export class AuditLog implements AuditSink {
  readonly #options: AuditLogOptions;
  readonly #maxBufferedBytes: number;
  #lines: Buffer[] = [];
  #bufferedBytes = 0;
  #lostEvents = 0;
  #draining: Promise<void> | undefined;
  /** Ends the wait for the next attempt early. */
  readonly #closing = new AbortController();

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? MAX_BUFFERED_BYTES;
  }

  record(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bufferedBytes + bytes.length > this.#maxBufferedBytes || this.#closing.signal.aborted) {
      this.#reportLost(1);
      return;
    }
    this.#lines.push(bytes);
    this.#bufferedBytes += bytes.length;
    this.#draining ??= this.#drain();
  }

  recordSuppressed(): void {
    this.#options.observer.onLost('refusal_rate', 1);
  }

  /** Flushes the buffer, with one retry, and closes the writer; takes at most 5 s. */
  async close(): Promise<void> {
    const { clock, writer } = this.#options;
    this.#closing.abort();
    await waitAtMost(CLOSE_TIMEOUT_MS, clock, this.#draining);
    this.#reportLost(this.#lines.length);
    this.#lines = [];
    await writer.close();
  }

  async #drain(): Promise<void> {
    // Ends the wait for the next attempt on close.
    await Promise.resolve();
    try {
      for (let failures = 0; this.#lines.length > 0; ) {
        const batch = this.#nextBatch();
        const bytes = Buffer.concat(batch);
        try {
          await this.#options.writer.write(bytes);
        } catch (error) {
          failures++;
          this.#onFailure(error, failures);
          if (!(await this.#mayRetry(failures))) return;
          continue;
        }
        this.#lines = this.#lines.slice(batch.length);
        this.#bufferedBytes -= bytes.length;
        this.#options.observer.onWritten(batch.length);
        if (failures > 0) this.#onRecovery();
        failures = 0;
      }
    } finally {
      // Must happen immediately: otherwise lines recorded from here on would wait for the next write.
      this.#draining = undefined;
    }
  }

  #nextBatch(): Buffer[] {
    let bytes = 0;
    const end = this.#lines.findIndex((line, index) => {
      bytes += line.length;
      return index > 0 && bytes > MAX_BATCH_BYTES;
    });
    return this.#lines.slice(0, end < 0 ? undefined : end);
  }

  /** Whether to retry. When the log is closing, it retries only once. */
  async #mayRetry(failures: number): Promise<boolean> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return false;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
    await clock.sleep(delayMs, signal).catch(() => undefined);
    return true;
  }

  #onFailure(error: unknown, failures: number): void {
    const { observer, log } = this.#options;
    observer.onWriteFailed();
    if (failures === 1) log.error({ err: error }, 'the audit log cannot be written: events wait in memory');
  }

  #onRecovery(): void {
    this.#options.log.warn({ lostEvents: this.#lostEvents }, 'the audit log is written again');
    this.#lostEvents = 0;
  }

  #reportLost(events: number): void {
    if (events === 0) return;
    if (this.#lostEvents === 0) {
      this.#options.log.error({}, 'the audit log cannot be written: events are lost from now on');
    }
    this.#lostEvents += events;
    this.#options.observer.onLost('buffer_full', events);
  }
}
