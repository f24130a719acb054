import { keyOf } from '../client/object-key.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '../client/transport.ts';
import { ApiError, expired, notFound } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';

interface HistoryEntry {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

interface Stream {
  readonly push: (line: string) => void;
  readonly end: (error?: Error) => void;
}

/**
 * One collection of objects behind a Transport with faults injected by the test: list pages, watches, error responses.
 * For failures that the embedded server can't produce; it supports neither kinds nor selectors.
 */
export class ScriptedApi implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: HistoryEntry[] = [];
  readonly #streams = new Set<Stream>();
  readonly #failures: Error[] = [];
  #revision = 100;
  #oldestRevision = 0;
  #uids = 0;

  get revision(): number {
    return this.#revision;
  }

  /** The number of open watches. */
  get watches(): number {
    return this.#streams.size;
  }

  /** Creates or replaces an object. */
  put(name: string, content: object = {}): void {
    const old = this.#objects.get(`ns/${name}`);
    this.#revision++;
    const metadata = {
      name,
      namespace: 'ns',
      uid: old?.metadata.uid ?? `uid-${++this.#uids}`,
      resourceVersion: String(this.#revision),
    };
    const object = { ...content, metadata };
    this.#objects.set(keyOf(object), object);
    this.#record({ revision: this.#revision, type: old ? 'MODIFIED' : 'ADDED', object });
  }

  remove(name: string): void {
    const old = this.#objects.get(`ns/${name}`);
    if (!old) throw new Error(`there is no ${name}`);
    this.#objects.delete(`ns/${name}`);
    this.#revision++;
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: String(this.#revision) } };
    this.#record({ revision: this.#revision, type: 'DELETED', object });
  }

  names(): string[] {
    return [...this.#objects.values()].map(({ metadata }) => String(metadata.name)).sort();
  }

  /** Sends a bookmark on all watches. */
  bookmark(): void {
    const metadata = { resourceVersion: String(this.#revision) };
    for (const stream of this.#streams) stream.push(JSON.stringify({ type: 'BOOKMARK', object: { metadata } }));
  }

  /** Drops the history, so that no older watch can resume. */
  compact(): void {
    this.#oldestRevision = this.#revision;
    this.#history.length = 0;
  }

  /** Breaks all watches as a lost connection does, or ends them as a server does. */
  breakWatches(how: 'reset' | 'end' = 'reset'): void {
    for (const stream of this.#streams) {
      stream.end(how === 'reset' ? new TransportError('GET: socket hang up') : undefined);
    }
  }

  /** Makes the next request fail: without a response, or with the Status of an ApiError. */
  failNext(error: Error): void {
    this.#failures.push(error);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    try {
      const failure = this.#failures.shift();
      if (failure) throw failure;
      const query = new URL(request.path, 'http://api').searchParams;
      return query.has('watch') ? this.#watch(query, request.signal) : this.#list(query);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return newResponse(error.code, error.toStatus());
    }
  }

  close(): void {
    this.breakWatches('end');
  }

  #record(entry: HistoryEntry): void {
    this.#history.push(entry);
    for (const stream of this.#streams) stream.push(eventLine(entry));
  }

  #list(query: URLSearchParams): TransportResponse {
    const limit = Number(query.get('limit') ?? 0) || Infinity;
    const token = query.get('continue');
    const [revision, offset] = token ? token.split(':').map(Number) : [this.#revision, 0];
    if (revision === undefined || offset === undefined) throw notFound({ resource: 'page', name: `${token}` });
    if (token && revision < this.#oldestRevision) throw expired('the continue token is too old');
    const all = [...this.#objects.values()];
    const items = all.slice(offset, offset + limit);
    const isLast = offset + limit >= all.length;
    const metadata = {
      resourceVersion: String(revision),
      ...(!isLast && { continue: `${revision}:${offset + limit}` }),
    };
    return newResponse(200, { apiVersion: 'v1', kind: 'List', metadata, items });
  }

  #watch(query: URLSearchParams, signal: AbortSignal | undefined): TransportResponse {
    const since = Number(query.get('resourceVersion'));
    if (since < this.#oldestRevision) throw expired(`too old resource version: ${since} (${this.#oldestRevision})`);
    return { status: 200, headers: {}, text: () => Promise.resolve(''), lines: () => this.#stream(since, signal) };
  }

  /** Includes changes made before the stream is read. */
  async *#stream(since: number, signal: AbortSignal | undefined): AsyncGenerator<string> {
    const lines = this.#history.filter(({ revision }) => revision > since).map(eventLine);
    let wake = Promise.withResolvers<void>();
    let end: { readonly error: Error | undefined } | undefined;
    const stream: Stream = {
      push: (line) => {
        lines.push(line);
        wake.resolve();
      },
      end: (error) => {
        end ??= { error };
        this.#streams.delete(stream);
        wake.resolve();
      },
    };
    const onAbort = () => stream.end();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#streams.add(stream);
    try {
      for (;;) {
        for (let line = lines.shift(); line !== undefined; line = lines.shift()) yield line;
        if (end?.error) throw end.error;
        if (end) return;
        await wake.promise;
        wake = Promise.withResolvers();
      }
    } finally {
      this.#streams.delete(stream);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

function eventLine({ type, object }: HistoryEntry): string {
  return JSON.stringify({ type, object });
}

function newResponse(status: number, body: object): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    text: () => Promise.resolve(JSON.stringify(body)),
    async *lines() {
      yield JSON.stringify(body);
    },
  };
}
