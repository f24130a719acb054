import { isDeepStrictEqual } from 'node:util';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import type { InformerHandler } from './informer.ts';
import { type CacheIndex, type Change, type IndexFunction, ObjectCache } from './object-cache.ts';
import { keyOf } from './object-key.ts';
import type { ObjectSource } from './object-source.ts';

/** Objects that this process creates itself, for controllers that would otherwise watch an API server. */
export class LocalObjectSource<T extends KubeObject> implements ObjectSource<T> {
  readonly type: ResourceType<T>;
  readonly #log: Logger;
  readonly #cache = new ObjectCache<T>();
  readonly #handlers = new Set<InformerHandler<T>>();

  constructor(type: ResourceType<T>, log: Logger = silentLogger) {
    this.type = type;
    this.#log = log;
  }

  /** Adds or replaces the object with this name; a deeply equal object has no effect. */
  put(object: T): void {
    if (!isDeepStrictEqual(this.#cache.get(keyOf(object)), object)) this.#publish(this.#cache.put(object));
  }

  delete(key: string): void {
    this.#publish(this.#cache.delete(key));
  }

  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  list(namespace?: string): T[] {
    return namespace === undefined ? [...this.#cache.values()] : this.#cache.inNamespace(namespace);
  }

  find(index: CacheIndex<T>, value: string): T[] {
    return this.#cache.byIndex(index.name, value);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#cache.addIndex(name, valuesOf);
  }

  addHandler(handler: InformerHandler<T>): () => void {
    for (const object of this.#cache.values()) this.#call(handler, { type: 'add', object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Resolves immediately: there is no server to wait for. */
  async whenSynced(): Promise<void> {}

  #publish(changes: Iterable<Change<T>>): void {
    for (const change of changes) for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: InformerHandler<T>, change: Change<T>): void {
    try {
      if (change.type === 'add') handler.onAdd?.(change.object);
      else if (change.type === 'update') handler.onUpdate?.(change.old, change.object);
      else handler.onDelete?.(change.old);
    } catch (error) {
      this.#log.error({ err: error, resource: this.type.plural }, 'handler of held objects failed');
    }
  }
}
