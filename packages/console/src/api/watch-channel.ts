import { connection } from './connection.ts';
import { Failure, failureOf } from './failure.ts';
import { jsonLines } from './json-lines.ts';
import { open, type RequestOptions } from './request.ts';
import type { Stored } from './resources.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** A line of the stream, about one of its watches. */
interface Told {
  readonly w: number;
  readonly event?: WatchEvent<Stored>;
  readonly code?: number;
  readonly failure?: unknown;
  readonly end?: true;
}

export interface Watching {
  readonly path: string;
  /** The path of a list, with its selectors. */
  readonly query: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

interface Subscription {
  readonly watching: Watching;
  /** The last observed version. */
  resourceVersion: string;
  readonly heard: (WatchEvent<never>[] | Failure | 'end')[];
  wake: () => void;
}

export interface WatchChannelOptions {
  readonly open?: (path: string, options: RequestOptions) => Promise<Response>;
  readonly random?: () => number;
}

const PATH = '/console/watches';
/** Pages request several collections at once. */
const GATHER_MS = 10;
/** Less than the five to ten minutes after which servers end a watch. */
const LASTS_SECONDS = 240;
/** The server sends a line every 20 s; after sleep, a laptop receives none. */
const SILENCE_MS = 50_000;

/**
 * All watches of this tab over one connection, because a browser opens at most six to a server for all tabs together. To add a watch, it reconnects with all of them, each
 * from its last observed version.
 */
export class WatchChannel {
  readonly #open: NonNullable<WatchChannelOptions['open']>;
  readonly #random: () => number;
  readonly #subscriptions = new Map<number, Subscription>();
  #lastId = 0;
  #running: AbortController | undefined;
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WatchChannelOptions = {}) {
    this.#open = options.open ?? open;
    this.#random = options.random ?? Math.random;
  }

  /** The changes since a version as they arrive, until the server ends the watch normally. Rejects with a Failure if it breaks. */
  async *watch<T extends Stored>(watching: Watching): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { signal, resourceVersion } = watching;
    const subscription: Subscription = { watching, resourceVersion, heard: [], wake: () => {} };
    const id = ++this.#lastId;
    const onAbort = () => subscription.wake();
    signal.addEventListener('abort', onAbort);
    this.#subscriptions.set(id, subscription);
    this.#reopenSoon();
    try {
      while (!signal.aborted) {
        const next = subscription.heard.shift();
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

  #reopenSoon(): void {
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => {
      this.#running?.abort();
      if (this.#subscriptions.size === 0) return;
      const running = new AbortController();
      this.#running = running;
      void this.#follow(running).catch((error: unknown) => {
        if (this.#running === running) this.#failed(asFailure(error));
      });
    }, GATHER_MS);
  }

  async #follow(running: AbortController): Promise<void> {
    const { signal } = running;
    const lost = new Failure(0, 'nothing has been heard of the server');
    let silence: ReturnType<typeof setTimeout> | undefined;
    const untilSilent = () => {
      clearTimeout(silence);
      silence = setTimeout(() => running.abort(lost), SILENCE_MS);
    };
    const heardOf = () => {
      connection.answered();
      untilSilent();
    };
    try {
      untilSilent();
      const watches = [...this.#subscriptions].map(([id, { watching, resourceVersion }]) => ({
        id,
        path: this.#pathOf(watching, resourceVersion),
      }));
      const response = await this.#open(PATH, { method: 'POST', body: { watches }, signal });
      if (response.body !== null) {
        for await (const told of jsonLines<Told>(response.body, heardOf)) this.#receive(told);
      }
      for (const [id] of this.#subscriptions) if (watches.some((watch) => watch.id === id)) this.#notify(id, 'end');
    } catch (error) {
      // Reconnecting, or no longer needed.
      if (signal.aborted && signal.reason !== lost) return;
      throw signal.reason === lost ? lost : error;
    } finally {
      clearTimeout(silence);
    }
  }

  #pathOf({ path, query }: Watching, resourceVersion: string): string {
    const timeoutSeconds = String(Math.round(LASTS_SECONDS * (0.75 + this.#random() * 0.25)));
    const asked = { ...query, watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds };
    return `${path}?${new URLSearchParams(asked)}`;
  }

  #receive(told: readonly Told[]): void {
    const events = new Map<number, WatchEvent<never>[]>();
    for (const { w, event, code, failure, end } of told) {
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

  #notify(id: number, what: Subscription['heard'][number]): void {
    const subscription = this.#subscriptions.get(id);
    subscription?.heard.push(what);
    subscription?.wake();
  }

  #failed(failure: Failure): void {
    for (const id of this.#subscriptions.keys()) this.#notify(id, failure);
  }
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error));
}
