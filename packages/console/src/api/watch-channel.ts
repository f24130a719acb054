import { connection } from './connection.ts';
import { Failure, failureOf } from './failure.ts';
import { parseJsonLines } from './json-lines.ts';
import { open, type RequestOptions } from './request.ts';
import type { StoredObject } from './resources.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** A line of the stream, about one of its watches. */
interface StreamLine {
  readonly w: number;
  readonly event?: WatchEvent<StoredObject>;
  readonly code?: number;
  readonly failure?: unknown;
  readonly end?: true;
}

export interface WatchRequest {
  readonly path: string;
  /** The path of a list, with its selectors. */
  readonly query: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

interface Subscription {
  readonly watching: WatchRequest;
  /** The last observed version. */
  resourceVersion: string;
  readonly queue: (WatchEvent<never>[] | Failure | 'end')[];
  wake: () => void;
}

export interface WatchChannelOptions {
  readonly open?: (path: string, options: RequestOptions) => Promise<Response>;
  readonly random?: () => number;
}

const PATH = '/console/watches';
/** Pages request several collections at once. */
const RECONNECT_DELAY_MS = 10;
/** Less than the five to ten minutes after which servers end a watch. */
const MAX_WATCH_SECONDS = 240;
/** The server sends a line every 20 s; a connection that died while the laptop was asleep stays silent. */
const SILENCE_TIMEOUT_MS = 50_000;

/**
 * All watches of this tab over one connection, because a browser opens at most six to a server across all tabs. To add
 * a watch, it reconnects with all of them, each from its last observed version.
 */
export class WatchChannel {
  readonly #open: NonNullable<WatchChannelOptions['open']>;
  readonly #random: () => number;
  readonly #subscriptions = new Map<number, Subscription>();
  #lastId = 0;
  #running: AbortController | undefined;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WatchChannelOptions = {}) {
    this.#open = options.open ?? open;
    this.#random = options.random ?? Math.random;
  }

  /** The changes since a version as they arrive, until the server ends the watch normally. Rejects with a Failure if it breaks. */
  async *watch<T extends StoredObject>(watching: WatchRequest): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { signal, resourceVersion } = watching;
    const subscription: Subscription = { watching, resourceVersion, queue: [], wake: () => {} };
    const id = ++this.#lastId;
    const onAbort = () => subscription.wake();
    signal.addEventListener('abort', onAbort);
    this.#subscriptions.set(id, subscription);
    this.#scheduleReconnect();
    try {
      while (!signal.aborted) {
        const next = subscription.queue.shift();
        if (next === 'end') return;
        if (next instanceof Failure) throw next;
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (subscription.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#subscriptions.delete(id);
      if (this.#subscriptions.size === 0) this.#running?.abort();
    }
  }

  #scheduleReconnect(): void {
    clearTimeout(this.#reconnectTimer);
    this.#reconnectTimer = setTimeout(() => {
      this.#running?.abort();
      if (this.#subscriptions.size === 0) return;
      const running = new AbortController();
      this.#running = running;
      void this.#follow(running).catch((error: unknown) => {
        if (this.#running === running) this.#failed(toFailure(error));
      });
    }, RECONNECT_DELAY_MS);
  }

  async #follow(running: AbortController): Promise<void> {
    const { signal } = running;
    const connectionLost = new Failure(0, 'nothing has been heard from the server');
    let silenceTimer: ReturnType<typeof setTimeout> | undefined;
    const restartSilenceTimer = () => {
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(() => running.abort(connectionLost), SILENCE_TIMEOUT_MS);
    };
    const onData = () => {
      connection.recordResponse();
      restartSilenceTimer();
    };
    try {
      restartSilenceTimer();
      const watches = [...this.#subscriptions].map(([id, { watching, resourceVersion }]) => ({
        id,
        path: this.#pathOf(watching, resourceVersion),
      }));
      const response = await this.#open(PATH, { method: 'POST', body: { watches }, signal });
      if (response.body !== null) {
        for await (const streamLines of parseJsonLines<StreamLine>(response.body, onData)) this.#receive(streamLines);
      }
      for (const [id] of this.#subscriptions) if (watches.some((watch) => watch.id === id)) this.#notify(id, 'end');
    } catch (error) {
      // The channel is reconnecting, or the watch is no longer needed.
      if (signal.aborted && signal.reason !== connectionLost) return;
      throw signal.reason === connectionLost ? connectionLost : error;
    } finally {
      clearTimeout(silenceTimer);
    }
  }

  #pathOf({ path, query }: WatchRequest, resourceVersion: string): string {
    const timeoutSeconds = String(Math.round(MAX_WATCH_SECONDS * (0.75 + this.#random() * 0.25)));
    const watchQuery = { ...query, watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds };
    return `${path}?${new URLSearchParams(watchQuery)}`;
  }

  #receive(streamLines: readonly StreamLine[]): void {
    const events = new Map<number, WatchEvent<never>[]>();
    for (const { w, event, code, failure, end } of streamLines) {
      const subscription = this.#subscriptions.get(w);
      if (subscription === undefined) continue;
      if (event !== undefined) {
        if (event.type !== 'ERROR') {
          subscription.resourceVersion = event.object.metadata.resourceVersion ?? subscription.resourceVersion;
        }
        const batch = events.get(w) ?? [];
        batch.push(event as WatchEvent<never>);
        if (batch.length === 1) {
          events.set(w, batch);
          this.#notify(w, batch);
        }
      } else if (end) this.#notify(w, 'end');
      else this.#notify(w, failureOf(code ?? 500, JSON.stringify(failure), null));
    }
  }

  #notify(id: number, item: Subscription['queue'][number]): void {
    const subscription = this.#subscriptions.get(id);
    subscription?.queue.push(item);
    subscription?.wake();
  }

  #failed(failure: Failure): void {
    for (const id of this.#subscriptions.keys()) this.#notify(id, failure);
  }
}

function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error));
}
