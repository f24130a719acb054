import type { Informer } from '@fairway/kube/client/informer';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Gauge } from 'prom-client';

/**
 * Counts objects by labels, kept current by a cache's events: the cost of a scrape depends on the number of
 * label sets, not of objects.
 */
export class ObjectCounts<T extends KubeObject, L extends string> {
  readonly #labelsOf: (object: T) => Readonly<Record<L, string>> | undefined;
  readonly #counts = new Map<string, { readonly labels: Readonly<Record<L, string>>; count: number }>();

  /** `labelsOf` returns undefined for objects that are not counted. */
  constructor(informer: Informer<T>, labelsOf: (object: T) => Readonly<Record<L, string>> | undefined) {
    this.#labelsOf = labelsOf;
    informer.addHandler({
      onAdd: (object) => this.#count(object, 1),
      onUpdate: (old, object) => {
        this.#count(old, -1);
        this.#count(object, 1);
      },
      onDelete: (old) => this.#count(old, -1),
    });
  }

  /** Adds the counts to a gauge, which has these labels and those of `more`. */
  addTo(gauge: Gauge, more: Readonly<Record<string, string>> = {}): void {
    for (const { labels, count } of this.#counts.values()) gauge.inc({ ...labels, ...more }, count);
  }

  #count(object: T, change: 1 | -1): void {
    const labels = this.#labelsOf(object);
    if (labels === undefined) return;
    const key = JSON.stringify(Object.values(labels));
    const counted = this.#counts.get(key) ?? { labels, count: 0 };
    counted.count += change;
    if (counted.count === 0) this.#counts.delete(key);
    else this.#counts.set(key, counted);
  }
}
