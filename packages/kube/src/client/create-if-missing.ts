import { isApiError } from '../object/api-error.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../object/meta.ts';
import type { KubeClient } from './kube-client.ts';
import type { ObjectReader } from './object-reader.ts';

/** Creates an object if it does not exist; an existing object is left unchanged. */
export async function createIfMissing<T extends KubeObject>(
  client: KubeClient,
  reader: ObjectReader,
  type: ResourceType<T>,
  object: T,
): Promise<void> {
  if (reader.get(type, object.metadata.namespace ?? '', object.metadata.name ?? '') !== undefined) return;
  try {
    await client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
