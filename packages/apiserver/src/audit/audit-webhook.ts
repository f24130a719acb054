import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { waitAtMost } from '@fairway/base/wait-at-most';
import type { Transport } from '@fairway/kube/client/transport';
import type { AuditSink } from './auditor.ts';

/** How events are sent. The options have the same names and defaults as kube-apiserver's. */
export interface AuditWebhookTiming {
  /** Delay before the second attempt, doubled after each further failure, up to a minute. */
  readonly initialBackoffMs: number;
  /** Maximum number of buffered events while the receiver does not accept them. */
  readonly bufferSize: number;
  /** Maximum number of events per request. */
  readonly maxBatchSize: number;
  /** Maximum time that an event waits for its batch to fill. */
  readonly maxBatchWaitMs: number;
  /** Average requests per second, and burst. */
  readonly throttleQps: number;
  readonly throttleBurst: number;
}

export const DEFAULT_WEBHOOK_TIMING: AuditWebhookTiming = {
  initialBackoffMs: 10_000,
  bufferSize: 10_000,
  maxBatchSize: 400,
  maxBatchWaitMs: 30_000,
  throttleQps: 10,
  throttleBurst: 15,
};

/** Why an event was not sent: the buffer was full, the receiver rejected the event, or Fairway stopped first. */
export type WebhookLoss = 'buffer_full' | 'rejected' | 'shutdown';

export interface AuditWebhookObserver {
  onSent(events: number): void;
  onLost(reason: WebhookLoss, events: number): void;
  onSendFailed(): void;
}

export interface AuditWebhookOptions extends AuditWebhookTiming {
  /** Transport to the receiver; requests use the path in its URL. Closed together with the webhook. */
  readonly transport: Transport;
  readonly observer: AuditWebhookObserver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** kube-apiserver's size limit for a batch. */
const MAX_BATCH_CHARS = 10 * 1024 * 1024;
const MAX_BUFFERED_CHARS = 32 * 1024 * 1024;
const MAX_BACKOFF_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Error codes that are permanent; other errors may be temporary. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 405, 406, 410, 411, 413, 414, 415, 422]);

/** Thrown if the receiver does not accept the events. */
class BatchRejectedError extends Error {
  override readonly name = 'RefusedBatch';
  readonly isFinal: boolean;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.isFinal = FINAL_STATUSES.has(status);
  }
}

/**
 * Sends events in batches, each an EventList of `audit.k8s.io/v1`, in the order in which they happened.
 *
 * **Guarantees.** Requests never wait for it. An event is sent until the receiver accepts or permanently rejects it, so
 * it may arrive twice; its `auditID` identifies duplicates. The buffer is limited in events and in memory; excess
 * events are lost and counted. While the receiver accepts nothing, one attempt is made per minute.
 *
 * **Caveats.** Buffered events are lost with the process, except on a graceful shutdown, which sends them within 5 s.
 */
export class AuditWebhook implements AuditSink {
  readonly #options: AuditWebhookOptions;
  #lines: string[] = [];
  #chars = 0;
  #isFailing = false;
  #running: Promise<void> | undefined;
  /** Ends the wait for a full batch early. */
  #isFull = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  readonly #abandoned = new AbortController();
  #tokens: number;
  #tokensAtMs: number;

  constructor(options: AuditWebhookOptions) {
    this.#options = options;
    this.#tokens = options.throttleBurst;
    this.#tokensAtMs = options.clock.now();
  }

  record(line: string): void {
    const { bufferSize, maxBatchSize, observer } = this.#options;
    if (this.#closing.signal.aborted) return observer.onLost('shutdown', 1);
    if (this.#lines.length >= bufferSize || this.#chars + line.length > MAX_BUFFERED_CHARS) {
      return observer.onLost('buffer_full', 1);
    }
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#lines.length >= maxBatchSize) this.#isFull.resolve();
    this.#running ??= this.#run();
  }

  recordSuppressed(): void {
    // The failure is already counted and logged.
  }

  /** Sends buffered events until the first failure, and closes the transport; takes at most 5 s. */
  async close(): Promise<void> {
    const { clock, observer, transport } = this.#options;
    this.#closing.abort();
    await waitAtMost(CLOSE_TIMEOUT_MS, clock, this.#running);
    this.#abandoned.abort();
    await this.#running;
    if (this.#lines.length > 0) observer.onLost('shutdown', this.#lines.length);
    this.#lines = [];
    transport.close();
  }

  async #run(): Promise<void> {
    try {
      for (let failures = 0; this.#lines.length > 0; ) {
        if (failures === 0) await this.#waitForBatch();
        await this.#waitForToken();
        const batch = this.#nextBatch();
        try {
          await this.#send(batch);
        } catch (error) {
          if (this.#abandoned.signal.aborted) return;
          failures++;
          this.#failed(error);
          if (error instanceof BatchRejectedError && error.isFinal) this.#drop(batch);
          if (this.#closing.signal.aborted) return;
          await this.#sleep(this.#backoffMs(failures));
          continue;
        }
        this.#take(batch);
        this.#options.observer.onSent(batch.length);
        if (this.#isFailing) this.#options.log.warn({}, 'the audit webhook accepts events again');
        this.#isFailing = false;
        failures = 0;
      }
    } finally {
      // Must happen immediately: otherwise events recorded from here on would wait for the next request.
      this.#running = undefined;
    }
  }

  async #send(batch: readonly string[]): Promise<void> {
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${batch.join(',')}]}`;
    const headers = { 'content-type': 'application/json', 'user-agent': 'fairway-audit' };
    const response = await this.#options.transport.request({
      method: 'POST',
      path: '',
      headers,
      body,
      signal: this.#abandoned.signal,
    });
    await response.text();
    if (response.status < 200 || response.status > 299) throw new BatchRejectedError(response.status);
  }

  async #waitForBatch(): Promise<void> {
    const { clock, maxBatchSize, maxBatchWaitMs } = this.#options;
    if (this.#lines.length >= maxBatchSize || this.#closing.signal.aborted) return;
    this.#isFull = Promise.withResolvers<void>();
    const waitController = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, waitController.signal]);
    await Promise.race([this.#isFull.promise, clock.sleep(maxBatchWaitMs, signal).catch(() => undefined)]);
    waitController.abort();
  }

  async #waitForToken(): Promise<void> {
    const { clock, throttleQps, throttleBurst } = this.#options;
    const nowMs = clock.now();
    const gained = (Math.max(nowMs - this.#tokensAtMs, 0) / 1000) * throttleQps;
    this.#tokens = Math.min(throttleBurst, this.#tokens + gained) - 1;
    this.#tokensAtMs = nowMs;
    if (this.#tokens < 0) await this.#sleep((-this.#tokens / throttleQps) * 1000);
  }

  #nextBatch(): readonly string[] {
    let chars = 0;
    const end = this.#lines.slice(0, this.#options.maxBatchSize).findIndex((line, index) => {
      chars += line.length;
      return index > 0 && chars > MAX_BATCH_CHARS;
    });
    return this.#lines.slice(0, end < 0 ? this.#options.maxBatchSize : end);
  }

  #take(batch: readonly string[]): void {
    this.#lines = this.#lines.slice(batch.length);
    this.#chars -= batch.reduce((sum, { length }) => sum + length, 0);
  }

  #drop(batch: readonly string[]): void {
    this.#take(batch);
    this.#options.observer.onLost('rejected', batch.length);
  }

  /** Between half and all of the backoff, so that replicas that failed together don't retry together. */
  #backoffMs(failures: number): number {
    const { initialBackoffMs, random } = this.#options;
    const maxBackoffMs = Math.max(MAX_BACKOFF_MS, initialBackoffMs);
    return Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.min(failures - 1, 16)) * (0.5 + random() / 2);
  }

  #failed(error: unknown): void {
    this.#options.observer.onSendFailed();
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.log.error({ err: error }, 'the audit webhook does not accept events: they wait in memory');
  }

  /** Ends early when the webhook is closed. */
  #sleep(ms: number): Promise<void> {
    return this.#options.clock.sleep(ms, this.#closing.signal).catch(() => undefined);
  }
}
