import { isDeepStrictEqual } from 'node:util';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

export interface WriteStatusOptions {
  /** For changes derived from the whole object: rejects with a conflict if it has changed in the meantime. */
  readonly ifUnchanged?: boolean;
}

/**
 * Writes the difference between `object.status` and `status` as one merge patch, if there is any.
 *
 * **Assumptions.** Only one controller writes the status of a kind, so a stale cache costs at most a no-op patch.
 * `originUID` is retained regardless of `status`. **Errors.** A deleted object is not an error; an object with the same
 * name but a different UID is not touched.
 */
export async function writeStatus<T extends KubeObject & { status?: object }>(
  client: ResourceClient<T>,
  object: T,
  status: object,
  { ifUnchanged = false }: WriteStatusOptions = {},
): Promise<void> {
  const changes = mergeDifference(object.status ?? {}, { ...originOf(object), ...status });
  if (changes === undefined) return;
  const { name = '', namespace, uid, resourceVersion } = object.metadata;
  const version = ifUnchanged && resourceVersion !== undefined ? { resourceVersion } : {};
  const value = { metadata: { uid, ...version }, status: changes };
  try {
    const where = namespace === undefined ? {} : { namespace };
    await client.patch(name, { type: 'merge', value }, { ...where, subresource: 'status', fieldManager: 'fairway' });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Always retained: see `identityOf`. */
function originOf({ status }: { readonly status?: { readonly originUID?: string } }): { originUID?: string } {
  return status?.originUID === undefined ? {} : { originUID: status.originUID };
}

/** The JSON merge patch (RFC 7386) that turns `from` into `to`; undefined if they are equal. */
export function mergeDifference(from: object, to: object): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(to)) {
    const old: unknown = (from as Record<string, unknown>)[key];
    if (value === undefined || isDeepStrictEqual(old, value)) continue;
    patch[key] = isRecord(old) && isRecord(value) ? mergeDifference(old, value) : value;
  }
  for (const [key, old] of Object.entries(from)) {
    if (old !== undefined && (to as Record<string, unknown>)[key] === undefined) patch[key] = null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
