import { isApiError } from '@fairway/kube/object/api-error';
import { applyDefaults } from '../schema/defaults.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { Entry } from '../store/store.ts';

/**
 * Maximum size that defaults add to one object on reads. Beyond it, the object is returned as stored, so it can still
 * be read and deleted.
 */
const MAX_ADDED_CHARS = 16 * 1024;

/** Cache size for the texts of one kind; texts beyond it are generated for each reader. */
const MAX_KEPT_CHARS = 16 * 1024 * 1024;

/** Schemas of custom kinds refer only to the metadata definitions. */
const NO_DEFINITIONS: Definitions = new Map();

/**
 * The objects of a custom kind with defaults that were added to its schema after the objects were stored;
 * kube-apiserver sets these defaults on every read. They are computed once for each object and schema. Objects that
 * already have these defaults, such as all newer objects, are returned unchanged.
 */
export class StoredDefaults {
  /** Defaults by stored apiVersion. */
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
    // Defaults are appended; fields are never reordered.
    const text = JSON.stringify(object);
    return text === entry.text ? entry : new Entry(entry.key, entry.revision, text);
  }
}
