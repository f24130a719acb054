import { type Logger, silentLogger } from '@fairway/base/log';

/** What a manager runs: a Controller, a ShardMember, a poller. */
export interface Runnable {
  readonly name: string;
  /** Resolves when the caches that it needs have synced. Rejects with the signal's reason. */
  whenSynced?(signal: AbortSignal): Promise<void>;
  start(signal: AbortSignal): void;
  readonly stopped: Promise<void>;
}

/** The source of the caches: one InformerSet or several. */
export interface Informers {
  start(signal: AbortSignal): void;
  stopped(): Promise<void>;
}

/** Starts informers, then controllers in the order in which they were added; stops them in reverse order. */
export class Manager {
  readonly #log: Logger;
  readonly #informers: Informers[] = [];
  readonly #runnables: Runnable[] = [];

  constructor(options: { readonly log?: Logger } = {}) {
    this.#log = options.log ?? silentLogger;
  }

  addInformers(informers: Informers): this {
    this.#informers.push(informers);
    return this;
  }

  add(...runnables: Runnable[]): this {
    this.#runnables.push(...runnables);
    return this;
  }

  /** Runs until the signal aborts; resolves when everything has stopped. `onStarted` is called when everything is running. */
  async run(signal: AbortSignal, onStarted?: () => void): Promise<void> {
    const caches = new AbortController();
    const running: { readonly runnable: Runnable; readonly stop: AbortController }[] = [];
    try {
      for (const informers of this.#informers) informers.start(caches.signal);
      for (const runnable of this.#runnables) {
        await runnable.whenSynced?.(signal);
        signal.throwIfAborted();
        const stop = new AbortController();
        runnable.start(stop.signal);
        running.push({ runnable, stop });
        this.#log.debug({ runnable: runnable.name }, 'started');
      }
      onStarted?.();
      await aborted(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const { runnable, stop } of running.reverse()) {
        stop.abort();
        await runnable.stopped;
        this.#log.debug({ runnable: runnable.name }, 'stopped');
      }
      caches.abort();
      await Promise.all(this.#informers.map((informers) => informers.stopped()));
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
