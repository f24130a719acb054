import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** An ObjectReader over a map, for tests. */
export class FakeObjectReader implements ObjectReader {
  readonly #kinds = new Map<string, { revision: number; objects: Map<string, KubeObject> }>();

  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined {
    return this.#kind(type).objects.get(`${namespace}/${name}`) as T | undefined;
  }

  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    const all = [...this.#kind(type).objects.values()] as T[];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  revisionOf(type: ResourceType): number {
    return this.#kind(type).revision;
  }

  put<T extends KubeObject>(type: ResourceType<T>, ...objects: readonly T[]): void {
    const kind = this.#kind(type);
    for (const object of objects) {
      kind.objects.set(`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
    }
    kind.revision++;
  }

  remove(type: ResourceType, namespace: string, name: string): void {
    const kind = this.#kind(type);
    kind.objects.delete(`${namespace}/${name}`);
    kind.revision++;
  }

  #kind(type: ResourceType) {
    const key = `${type.group}/${type.plural}`;
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { revision: 0, objects: new Map() };
      this.#kinds.set(key, kind);
    }
    return kind;
  }
}
