import { Failure, failureOf } from './failure.ts';
import { jsonLines } from './json-lines.ts';
import { open, type RequestOptions } from './request.ts';
import type { Stored } from './resources.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** A line of the stream: about one of the watches that it carries. */
interface Told {
  readonly w: number;
  readonly event?: WatchEvent<Stored>;
  readonly code?: number;
  readonly failure?: unknown;
  readonly end?: true;
}

export interface Watching {
  readonly path: string;
  /** As of a list: with its selectors. */
  readonly query: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

interface Subscription {
  readonly watching: Watching;
  /** The last version that was heard of. */
  resourceVersion: string;
  readonly heard: (WatchEvent<never>[] | Failure | 'end')[];
  wake: () => void;
}

export interface WatchChannelOptions {
  readonly open?: (path: string, options: RequestOptions) => Promise<Response>;
  readonly random?: () => number;
}

const PATH = '/console/watches';
/** Pages ask for several collections at once. */
const GATHER_MS = 10;
/** Below the five to ten minutes for which servers hold a watch. */
const LASTS_SECONDS = 240;
/** The server says something every 20 s: a laptop that slept hears nothing. */
const SILENCE_MS = 50_000;

/**
 * All watches of this tab, over one connection: a browser has six to a server, for all tabs together. When another watch is wanted, the connection is made anew with all of them, each
 * from the version that it has come to.
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

  /** The changes since a version, as they come, until the server ends the watch in order. Rejects with a Failure if it breaks. */
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
    const heardOf = () => {
      clearTimeout(silence);
      silence = setTimeout(() => running.abort(lost), SILENCE_MS);
    };
    try {
      heardOf();
      const watches = [...this.#subscriptions].map(([id, { watching, resourceVersion }]) => ({
        id,
        path: this.#pathOf(watching, resourceVersion),
      }));
      const response = await this.#open(PATH, { method: 'POST', body: { watches }, signal });
      if (response.body !== null) {
        for await (const told of jsonLines<Told>(response.body, heardOf)) this.#hear(told);
      }
      for (const [id] of this.#subscriptions) if (watches.some((watch) => watch.id === id)) this.#tell(id, 'end');
    } catch (error) {
      // Made anew, or wanted no more.
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

  #hear(told: readonly Told[]): void {
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
          this.#tell(w, batch);
        }
      } else if (end) this.#tell(w, 'end');
      else this.#tell(w, failureOf(code ?? 500, JSON.stringify(failure), null));
    }
  }

  #tell(id: number, what: Subscription['heard'][number]): void {
    const subscription = this.#subscriptions.get(id);
    subscription?.heard.push(what);
    subscription?.wake();
  }

  #failed(failure: Failure): void {
    for (const id of this.#subscriptions.keys()) this.#tell(id, failure);
  }
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error));
}
