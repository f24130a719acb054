import type { KubeObject, ResourceType } from '../object/meta.ts';
import type { Informer } from './informer.ts';
import type { InformerSet } from './informer-set.ts';
import { keyOf } from './object-key.ts';
import type { ObjectReader } from './object-reader.ts';

interface CachedKind {
  readonly informer: Informer<KubeObject>;
  revision: number;
}

/**
 * Synchronous reads from informer caches, for a remote server: like an embedded server's reader, but as stale as the
 * watches. Kinds are declared up front, so all are available once the set has synced; reading any other kind throws.
 */
export class InformerReader implements ObjectReader {
  readonly #cachedKinds = new Map<string, CachedKind>();

  constructor(informers: InformerSet, types: readonly ResourceType[]) {
    for (const type of types) {
      const cachedKind: CachedKind = { informer: informers.informer(type), revision: 0 };
      const onChange = () => {
        cachedKind.revision++;
      };
      cachedKind.informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
      this.#cachedKinds.set(idOf(type), cachedKind);
    }
  }

  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined {
    const key = keyOf({ metadata: { name, ...(namespace !== '' && { namespace }) } });
    // The kind determines the object type.
    return this.#cachedKindOf(type).informer.get(key) as T | undefined;
  }

  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    return this.#cachedKindOf(type).informer.list(namespace) as T[];
  }

  revisionOf(type: ResourceType): number {
    return this.#cachedKindOf(type).revision;
  }

  #cachedKindOf(type: ResourceType): CachedKind {
    const cachedKind = this.#cachedKinds.get(idOf(type));
    if (cachedKind === undefined) throw new Error(`${type.plural} are not cached by this reader`);
    return cachedKind;
  }
}

function idOf({ group, plural }: ResourceType): string {
  return `${plural}.${group}`;
}
