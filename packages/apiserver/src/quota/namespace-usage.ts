import type { Entry, Store } from '../store/store.ts';

interface Usage {
  readonly counts: Map<string, number>;
  bytes: number;
}

/**
 * How many objects of each resource a namespace holds, and how many bytes they take as JSON. A namespace is counted once, on the first query, and
 * then updated with each write in the event-loop turn in which it becomes visible: a decision and its write in one turn see the exact usage.
 */
export class NamespaceUsage {
  readonly #store: Pick<Store, 'buckets' | 'list' | 'follow'>;
  readonly #isCounted: (resource: string) => boolean;
  readonly #namespaces = new Map<string, Usage>();

  /** @param isCounted whether a resource (`secrets`, `clusters.fairway.dev`) counts. */
  constructor(store: Pick<Store, 'buckets' | 'list' | 'follow'>, isCounted: (resource: string) => boolean) {
    this.#store = store;
    this.#isCounted = isCounted;
    store.follow((bucket, key, before, after) => this.#changed(bucket, key, before, after));
  }

  count(namespace: string, resource: string): number {
    return this.#usage(namespace).counts.get(resource) ?? 0;
  }

  bytes(namespace: string): number {
    return this.#usage(namespace).bytes;
  }

  #usage(namespace: string): Usage {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const usage: Usage = { counts: new Map(), bytes: 0 };
    for (const bucket of this.#store.buckets) {
      if (!this.#isCounted(bucket)) continue;
      for (const entry of this.#store.list(bucket, `${namespace}/`)) add(usage, bucket, undefined, entry);
    }
    this.#namespaces.set(namespace, usage);
    return usage;
  }

  #changed(bucket: string, key: string, before: Entry | undefined, after: Entry | undefined): void {
    const mark = key.indexOf('/');
    // A namespace of this name may be recreated, and is then empty.
    if (mark < 0 && bucket === 'namespaces' && after === undefined) this.#namespaces.delete(key);
    const usage = mark < 0 ? undefined : this.#namespaces.get(key.slice(0, mark));
    if (usage !== undefined && this.#isCounted(bucket)) add(usage, bucket, before, after);
  }
}

function add(usage: Usage, bucket: string, before: Entry | undefined, after: Entry | undefined): void {
  usage.bytes += sizeOf(after) - sizeOf(before);
  const change = Number(after !== undefined) - Number(before !== undefined);
  usage.counts.set(bucket, (usage.counts.get(bucket) ?? 0) + change);
}

function sizeOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : Buffer.byteLength(entry.text);
}
