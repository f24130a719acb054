import type { KubeObject } from '../object/meta.ts';
import { keyOf } from './object-key.ts';

/** Values under which an index finds an object. */
export type IndexFunction<T> = (object: T) => Iterable<string>;

/** Finds objects in a cache by a value derived from them. */
export interface CacheIndex<T> {
  /** Unique among the indexes of a kind. */
  readonly name: string;
  readonly valuesOf: IndexFunction<T>;
}

/**
 * One change to a cache. An object that was deleted and recreated under the same name causes a delete and an add, never
 * an update.
 */
export type Change<T> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly old: T; readonly object: T }
  | { readonly type: 'delete'; readonly old: T };

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly keys: Map<string, Set<string>>;
}

/** Not a valid field path, so it can't collide with another index. */
const NAMESPACE_INDEX = '(namespace)';

/** The objects of an informer with their indexes. Objects are shared by all readers. */
export class ObjectCache<T extends KubeObject> {
  #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  get size(): number {
    return this.#objects.size;
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** Adds an index over current and future objects. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known) throw new Error(`index ${name} exists with a different function`);
    const index = { valuesOf, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) addToIndex(index, key, object);
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index ${name}`);
    const found: T[] = [];
    for (const key of index.keys.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  /** The index is built on first use. */
  inNamespace(namespace: string): T[] {
    this.addIndex(NAMESPACE_INDEX, namespaceOf);
    return this.byIndex(NAMESPACE_INDEX, namespace);
  }

  /** Stores an object received from a watch or a write. */
  *put(object: T): Generator<Change<T>> {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && isSameRevision(old, object)) return;
    if (old && old.metadata.uid !== object.metadata.uid) {
      this.#remove(key, old);
      yield { type: 'delete', old };
      this.#store(key, undefined, object);
      yield { type: 'add', object };
      return;
    }
    this.#store(key, old, object);
    yield old ? { type: 'update', old, object } : { type: 'add', object };
  }

  *delete(key: string): Generator<Change<T>> {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#remove(key, old);
    yield { type: 'delete', old };
  }

  /** Replaces the cache with a list. Cached objects that are not in the list have been deleted. */
  *replace(listed: ReadonlyMap<string, T>): Generator<Change<T>> {
    for (const key of this.#objects.keys()) {
      if (!listed.has(key)) yield* this.delete(key);
    }
    for (const object of listed.values()) yield* this.put(object);
  }

  #store(key: string, old: T | undefined, object: T): void {
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      if (old) removeFromIndex(index, key, old);
      addToIndex(index, key, object);
    }
  }

  #remove(key: string, old: T): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) removeFromIndex(index, key, old);
  }
}

function namespaceOf({ metadata }: KubeObject): string[] {
  return metadata.namespace === undefined ? [] : [metadata.namespace];
}

function isSameRevision(a: KubeObject, b: KubeObject): boolean {
  const { uid, resourceVersion } = a.metadata;
  return resourceVersion !== undefined && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}

function addToIndex<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    if (keys) keys.add(key);
    else index.keys.set(value, new Set([key]));
  }
}

function removeFromIndex<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) index.keys.delete(value);
  }
}
