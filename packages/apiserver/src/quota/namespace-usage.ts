import type { Entry, Store } from '../store/store.ts';

interface Usage {
  readonly counts: Map<string, number>;
  bytes: number;
}

/**
 * The number of objects of each resource in a namespace, and their size as JSON. A namespace is counted once, on the
 * first query. Each later write updates the counts in the event-loop turn in which it becomes visible: a decision and
 * its write in one turn see the exact usage.
 */
export class NamespaceUsage {
  readonly #store: Pick<Store, 'buckets' | 'list' | 'follow'>;
  readonly #isCounted: (resource: string) => boolean;
  readonly #namespaces = new Map<string, Usage>();

  /** @param isCounted whether a resource (`secrets`, `clusters.fairway.dev`) counts. */
  constructor(store: Pick<Store, 'buckets' | 'list' | 'follow'>, isCounted: (resource: string) => boolean) {
    this.#store = store;
    this.#isCounted = isCounted;
    store.follow((bucket, key, previous, updated) => this.#changed(bucket, key, previous, updated));
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

  #changed(bucket: string, key: string, previous: Entry | undefined, updated: Entry | undefined): void {
    const mark = key.indexOf('/');
    // A namespace with this name may be recreated, and is then empty.
    if (mark < 0 && bucket === 'namespaces' && updated === undefined) this.#namespaces.delete(key);
    const usage = mark < 0 ? undefined : this.#namespaces.get(key.slice(0, mark));
    if (usage !== undefined && this.#isCounted(bucket)) add(usage, bucket, previous, updated);
  }
}

function add(usage: Usage, bucket: string, previous: Entry | undefined, updated: Entry | undefined): void {
  usage.bytes += sizeOf(updated) - sizeOf(previous);
  const change = Number(updated !== undefined) - Number(previous !== undefined);
  usage.counts.set(bucket, (usage.counts.get(bucket) ?? 0) + change);
}

function sizeOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : Buffer.byteLength(entry.text);
}
