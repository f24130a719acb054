import type { KubeObject } from '@fairway/kube/object/meta';
import { applyDefaults } from '../schema/defaults.ts';
import type { Definitions } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import type { ResourceDefinition } from './resource.ts';
import { canonicalText, ServedResource } from './served-resource.ts';

/**
 * Sets the defaults that stored objects of custom kinds lack because an earlier release wrote them before the field
 * existed. kube-apiserver does so whenever it reads an object; here, stored objects are served as they are. Fields that
 * are no longer in the schema stay until the object is next written. Call it before serving the store. Resolves with
 * the number of changed objects once they are durable.
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
      // Defaults are appended and fields are never reordered: an object that lacked none keeps its exact text.
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
