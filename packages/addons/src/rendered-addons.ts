import type { Addon, AddonFacts } from './addon.ts';
import { addonsOf } from './catalogue.ts';
import { revisionOf } from './revision.ts';

/** Add-ons as applied, and a hash of them. Shared: never mutate one. */
export interface RenderedAddons {
  readonly addons: readonly Addon[];
  readonly revision: string;
}

/** Each takes up to 100 KB. A process with more clusters than this renders on each pass. */
const MAX_KEPT = 128;

/** Renders add-ons, and caches the result: while a cluster does not change, each pass needs the same. */
export class AddonRenderer {
  /** By facts, least recently used first. */
  readonly #kept = new Map<string, RenderedAddons>();

  render(facts: AddonFacts): RenderedAddons {
    const key = JSON.stringify(facts);
    const rendered = this.#kept.get(key) ?? render(facts);
    this.#kept.delete(key);
    this.#kept.set(key, rendered);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MAX_KEPT) this.#kept.delete(oldest);
    return rendered;
  }
}

function render(facts: AddonFacts): RenderedAddons {
  const addons = addonsOf(facts);
  return { addons, revision: revisionOf(addons) };
}
