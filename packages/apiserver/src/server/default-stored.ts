import type { KubeObject } from '@fairway/kube/object/meta';
import { applyDefaults } from '../schema/defaults.ts';
import type { Definitions } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import type { ResourceDefinition } from './resource.ts';
import { canonicalText, ServedResource } from './served-resource.ts';

/**
 * Sets the defaults that stored objects of custom kinds lack because an earlier release, which did not have the field, wrote them. kube-apiserver
 * does so whenever it reads an object; here objects are stored as they are served. Fields that the schema no longer has stay until the object is next
 * written. To be called before the store is served; resolves with the number of objects changed, when they are durable.
 */
export async function defaultStoredObjects(
  store: Store,
  resources: readonly ResourceDefinition[],
  definitions: Definitions,
): Promise<number> {
  const writes: Promise<unknown>[] = [];
  for (const definition of resources) {
    if (definition.custom !== true) continue;
    const { bucket } = ServedResource.of(definition);
    for (const entry of store.list(bucket)) {
      const object = entry.copy();
      applyDefaults(object, definition.schema, definitions);
      // Defaults are appended, never reordered: an object that lacked none has the text that it had.
      if (canonicalText(object) === entry.text) continue;
      writes.push(
        store.write({ bucket, key: entry.key, expected: entry, encode: (revision) => encode(object, revision) }),
      );
    }
  }
  await Promise.all(writes);
  return writes.length;
}

function encode(object: KubeObject, revision: number): { readonly text: string; readonly object: KubeObject } {
  object.metadata.resourceVersion = String(revision);
  return { text: canonicalText(object), object };
}
