import type { ResourceClient } from '../client/resource-client.ts';
import { isApiError } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Adds a finalizer. Call it before the first side effect, so that nothing created for the object leaks. Rejects with
 * Conflict if `object` is stale; reconcile again.
 */
export async function ensureFinalizer<T extends KubeObject>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  if (hasFinalizer(object, finalizer) || isBeingDeleted(object)) return object;
  return patchFinalizers(client, object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/**
 * Removes a finalizer; it is not an error if the object no longer exists. Rejects with Conflict if `object` is stale;
 * reconcile again.
 */
export async function removeFinalizer<T extends KubeObject>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  const remaining = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  try {
    await patchFinalizers(client, object, remaining);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** uid and resourceVersion in a merge patch are preconditions: the server returns Conflict if they differ. */
function patchFinalizers<T extends KubeObject>(
  client: ResourceClient<T>,
  { metadata }: T,
  finalizers: readonly string[],
): Promise<T> {
  const { namespace, name, uid, resourceVersion } = metadata;
  if (name === undefined) throw new TypeError('metadata.name is required to address an object');
  const value = { metadata: { uid, resourceVersion, finalizers: finalizers.length > 0 ? finalizers : null } };
  return client.patch(name, { type: 'merge', value }, namespace === undefined ? {} : { namespace });
}
