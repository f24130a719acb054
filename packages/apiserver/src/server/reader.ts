import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { Entry } from '../store/store.ts';
import type { Core } from './core.ts';
import { bucketOf, type ServedResource } from './served-resource.ts';

/** Objects that need a conversion webhook are returned as stored. */
function objectOf(served: ServedResource, entry: Entry): KubeObject {
  return served.definition.storedAs?.convert === undefined ? served.objectOf(entry) : entry.object();
}

/** The synchronous view of a server's objects. */
export function readerOf(core: Core): ObjectReader {
  // Cached, because each write reads it a dozen times.
  let known = new WeakMap<ResourceType, ServedResource | undefined>();
  core.registry.onChange(() => {
    known = new WeakMap();
  });
  function servedOf(type: ResourceType): ServedResource | undefined {
    if (!known.has(type)) known.set(type, core.registry.find(type.group, type.version, type.plural));
    return known.get(type);
  }
  return {
    get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined {
      const served = servedOf(type);
      const entry = served && core.store.get(served.bucket, served.keyOf(namespace, name));
      return entry && (objectOf(served, entry) as T);
    },
    list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
      const served = servedOf(type);
      if (served === undefined) return [];
      const prefix = namespace === undefined || !served.namespaced ? '' : `${namespace}/`;
      return core.store.list(served.bucket, prefix).map((entry) => objectOf(served, entry) as T);
    },
    revisionOf(type) {
      return core.bucketRevisions.get(servedOf(type)?.bucket ?? bucketOf(type)) ?? 0;
    },
  };
}
