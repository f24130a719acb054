import { OpenStackError } from './http/openstack-error.ts';

/** More than any list in a project or cloud needs: ten million entries at a thousand per page. */
const MAX_PAGES = 10_000;
const MAX_ITEMS = 1_000_000;

/** Rejects lists whose pages repeat or never end. */
export class ListBounds {
  readonly #service: string;
  readonly #template: string;
  readonly #seenKeys = new Set<string>();
  #items = 0;

  constructor(service: string, template: string) {
    this.#service = service;
    this.#template = template;
  }

  /** Called before each page. Throws an OpenStackError. @param start its marker or offset. */
  next(start: string | number): void {
    const key = String(start);
    if (this.#seenKeys.has(key)) throw this.#error(`the page after ${key.slice(0, 64)} is repeated`);
    this.#seenKeys.add(key);
    if (this.#seenKeys.size >= MAX_PAGES) throw this.#error(`it has more than ${MAX_PAGES} pages`);
  }

  /**
   * Called after each page. Throws an OpenStackError. @param added number of items not on any earlier page, for lists
   * with offsets.
   */
  count(items: number, added = items): void {
    if (items > 0 && added === 0) throw this.#error('a page contains only entries of earlier pages');
    this.#items += items;
    if (this.#items > MAX_ITEMS) throw this.#error(`it has more than ${MAX_ITEMS} entries`);
  }

  #error(why: string): OpenStackError {
    return new OpenStackError({
      kind: 'unavailable',
      service: this.#service,
      method: 'GET',
      template: this.#template,
      message: `the list does not end: ${why}`,
      outcome: 'notDone',
    });
  }
}
