import { isApiError } from '@fairway/kube/object/api-error';
import { applyDefaults } from '../schema/defaults.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { Entry } from '../store/store.ts';

/** Limit on what reading adds to one object: others are shown as they are stored, so that they can still be read and deleted. */
const MAX_ADDED_CHARS = 16 * 1024;

/** Limit on the texts of one kind that are kept, beside what is stored; beyond it they are made again for each reader. */
const MAX_KEPT_CHARS = 16 * 1024 * 1024;

/** Schemas of custom kinds name no definitions but metadata's. */
const NO_DEFINITIONS: Definitions = new Map();

/**
 * The objects of a custom kind with the defaults that its schema has got since they were stored, as kube-apiserver sets them whenever it
 * reads. Made once for each object and schema; objects that lack none, as all that are written from then on, are themselves.
 */
export class StoredDefaults {
  /** By apiVersion of what is stored. */
  readonly #schemas: ReadonlyMap<string, Schema>;
  readonly #known = new WeakMap<Entry, Entry>();
  #charsLeft = MAX_KEPT_CHARS;

  constructor(schemas: ReadonlyMap<string, Schema>) {
    this.#schemas = schemas;
  }

  of(entry: Entry): Entry {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const defaulted = this.#defaulted(entry);
    const chars = defaulted === entry ? 0 : defaulted.text.length;
    if (chars <= this.#charsLeft) {
      this.#charsLeft -= chars;
      this.#known.set(entry, defaulted);
    }
    return defaulted;
  }

  #defaulted(entry: Entry): Entry {
    const object = entry.copy();
    const schema = this.#schemas.get(object.apiVersion ?? '');
    if (schema === undefined) return entry;
    try {
      applyDefaults(object, schema, NO_DEFINITIONS, MAX_ADDED_CHARS);
    } catch (error) {
      if (isApiError(error, 'RequestEntityTooLarge')) return entry;
      throw error;
    }
    // Defaults are appended, never reordered.
    const text = JSON.stringify(object);
    return text === entry.text ? entry : new Entry(entry.key, entry.revision, text);
  }
}
