import type { Addon, AddonFacts } from './addon.ts';
import { addonsOf } from './catalogue.ts';
import { revisionOf } from './revision.ts';

/** Rendered add-ons and their hash. They are shared, so never mutate them. */
export interface RenderedAddons {
  readonly addons: readonly Addon[];
  readonly revision: string;
}

/** Each entry takes up to 100 KB. With more clusters than entries, add-ons are rendered on each pass. */
const MAX_CACHED = 128;

/** Renders add-ons and caches the result, which stays the same until the cluster changes. */
export class AddonRenderer {
  /** Entries keyed by facts, least recently used first. */
  readonly #cache = new Map<string, RenderedAddons>();

  render(facts: AddonFacts): RenderedAddons {
    const key = JSON.stringify(facts);
    const rendered = this.#cache.get(key) ?? render(facts);
    this.#cache.delete(key);
    this.#cache.set(key, rendered);
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size > MAX_CACHED) this.#cache.delete(oldest);
    return rendered;
  }
}

function render(facts: AddonFacts): RenderedAddons {
  const addons = addonsOf(facts);
  return { addons, revision: revisionOf(addons) };
}
