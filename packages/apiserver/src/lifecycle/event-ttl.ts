import { type Clock, systemClock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { Event } from '@fairway/kube/kinds/generated/types';
import { Events } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

export interface EventTtlOptions {
  readonly client: KubeClient;
  readonly ttlMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

/** kube-apiserver's --event-ttl. */
const DEFAULT_TTL_MS = 3_600_000;
const MIN_PAUSE_MS = 60_000;
const PAGE_SIZE = 500;

/**
 * Deletes Events that have not changed for an hour; kube-apiserver uses etcd leases for this. It runs when the oldest
 * Event expires, and keeps no state between runs.
 */
export class EventTtl implements Runnable {
  readonly name = 'event-ttl';
  readonly #client: KubeClient;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Logger;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: EventTtlOptions) {
    this.#client = options.client;
    this.#ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#log = options.log ?? silentLogger;
  }

  get stopped(): Promise<void> {
    return this.#stopped;
  }

  start(signal: AbortSignal): void {
    this.#stopped = this.#run(signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await this.#sweep(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.debug({ err: error }, 'old events not deleted');
        return MIN_PAUSE_MS;
      });
      const jitteredMs = pauseMs + this.#random() * MIN_PAUSE_MS;
      await this.#clock.sleep(jitteredMs, signal).catch(() => undefined);
    }
  }

  /** Deletes expired Events; resolves with the time until the next one expires. */
  async #sweep(signal: AbortSignal): Promise<number> {
    const events = this.#client.resource(Events);
    const nowMs = this.#clock.now();
    let nextDueMs = nowMs + this.#ttlMs;
    let token: string | undefined;
    do {
      const page = await events.list({ limit: PAGE_SIZE, signal, ...(token !== undefined && { continue: token }) });
      for (const event of page.items) {
        const dueMs = lastChangeMs(event) + this.#ttlMs;
        if (dueMs <= nowMs) await this.#delete(event, signal);
        else nextDueMs = Math.min(nextDueMs, dueMs);
      }
      token = page.metadata.continue || undefined;
    } while (token !== undefined);
    return Math.max(MIN_PAUSE_MS, nextDueMs - nowMs);
  }

  /** An Event whose count has changed since it was listed has a new revision, and is kept. */
  async #delete({ metadata }: Event, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '', uid, resourceVersion } = metadata;
    try {
      await this.#client.resource(Events).delete(name, {
        namespace,
        signal,
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}

function lastChangeMs({ metadata, lastTimestamp, eventTime, series }: Event): number {
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime];
  return Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time) || 0)));
}
