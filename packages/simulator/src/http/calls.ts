export interface CallCount {
  readonly userAgent: string;
  readonly projectId: string;
  readonly service: string;
  readonly method: string;
  /** The path template of the route, with its variables in braces, or `unknown`. */
  readonly template: string;
  readonly count: number;
  /** Number of responses with a status of 400 or above, plus dropped connections. */
  readonly errors: number;
}

export interface CallRecord {
  readonly atMs: number;
  readonly requestId: string;
  readonly userAgent: string;
  readonly projectId: string;
  readonly service: string;
  readonly method: string;
  readonly template: string;
  readonly path: string;
  /** 0 if the connection was dropped. */
  readonly status: number;
}

/** A call as it was received, before it is handled. */
export interface ReceivedCall {
  readonly atMs: number;
  readonly userAgent: string;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** The parsed JSON body. */
  readonly body: unknown;
}

interface Counter extends CallCount {
  count: number;
  errors: number;
}

const MAX_COUNTERS = 4096;
const MAX_RECENT_CALLS = 256;

/** Counts calls by client and route. Memory is bounded, so counting is always enabled. */
export class Calls {
  readonly #counters = new Map<string, Counter>();
  readonly #recent: CallRecord[] = [];
  readonly #listeners = new Set<(call: ReceivedCall) => void>();
  #total = 0;

  /** Calls `listener` for each call on arrival, in order. Returns a function to unsubscribe. */
  onReceived(listener: (call: ReceivedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  received(call: ReceivedCall): void {
    for (const listener of this.#listeners) listener(call);
  }

  record(call: CallRecord): void {
    this.#total++;
    if (this.#recent.length === MAX_RECENT_CALLS) this.#recent.shift();
    this.#recent.push(call);
    const counter = this.#counter(call);
    counter.count++;
    if (call.status === 0 || call.status >= 400) counter.errors++;
  }

  get total(): number {
    return this.#total;
  }

  counts(): CallCount[] {
    return [...this.#counters.values()].map((counter) => ({ ...counter }));
  }

  /** The latest calls, oldest first. */
  recentCalls(): readonly CallRecord[] {
    return [...this.#recent];
  }

  reset(): void {
    this.#counters.clear();
    this.#recent.length = 0;
    this.#total = 0;
  }

  #counter({ userAgent, projectId, service, method, template }: CallRecord): Counter {
    const key = [userAgent, projectId, service, method, template].join('\n');
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    if (this.#counters.size >= MAX_COUNTERS && (userAgent !== 'other' || projectId !== '')) {
      // Clients beyond the limit share one counter per route.
      return this.#counter({ userAgent: 'other', projectId: '', service, method, template } as CallRecord);
    }
    const entry = { userAgent, projectId, service, method, template, count: 0, errors: 0 };
    this.#counters.set(key, entry);
    return entry;
  }
}
