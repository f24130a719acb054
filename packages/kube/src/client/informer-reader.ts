import type { KubeObject, ResourceType } from '../object/meta.ts';
import type { Informer } from './informer.ts';
import type { InformerSet } from './informer-set.ts';
import { keyOf } from './object-key.ts';
import type { ObjectReader } from './object-reader.ts';

interface Followed {
  readonly informer: Informer<KubeObject>;
  revision: number;
}

/**
 * Synchronous reads from informer caches, for a remote server: like an embedded server's reader, but as stale as the watches.
 * Kinds are declared up front, so that all are available once the set has synced; reading any other kind throws.
 */
export class InformerReader implements ObjectReader {
  readonly #followed = new Map<string, Followed>();

  constructor(informers: InformerSet, types: readonly ResourceType[]) {
    for (const type of types) {
      const followed: Followed = { informer: informers.informer(type), revision: 0 };
      const changed = () => {
        followed.revision++;
      };
      followed.informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
      this.#followed.set(idOf(type), followed);
    }
  }

  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined {
    const key = keyOf({ metadata: { name, ...(namespace !== '' && { namespace }) } });
    // The kind determines the object type.
    return this.#of(type).informer.get(key) as T | undefined;
  }

  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    return this.#of(type).informer.list(namespace) as T[];
  }

  revisionOf(type: ResourceType): number {
    return this.#of(type).revision;
  }

  #of(type: ResourceType): Followed {
    const followed = this.#followed.get(idOf(type));
    if (followed === undefined) throw new Error(`${type.plural} are not cached by this reader`);
    return followed;
  }
}

function idOf({ group, plural }: ResourceType): string {
  return `${plural}.${group}`;
}
