import type { KubeObject } from '@fairway/kube/object/meta';

/** Like `covers`, for objects; those in lists have no kind. */
export function coversObject(live: KubeObject | undefined, wanted: KubeObject): boolean {
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = wanted;
  return covers(live, fields);
}

/**
 * Whether `live` has every field of `wanted` with its value, regardless of other fields. Lists of named items are compared by
 * name, all others as a whole. If in doubt the result is false, and an apply follows that changes nothing.
 */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(live) && coversList(live, wanted);
  if (typeof wanted !== 'object' || wanted === null) return live === wanted;
  if (typeof live !== 'object' || live === null) return false;
  const fields = live as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([name, value]) => value === undefined || covers(fields[name], value));
}

function coversList(live: readonly unknown[], wanted: readonly unknown[]): boolean {
  if (!wanted.every(hasName)) {
    return live.length === wanted.length && wanted.every((item, index) => covers(live[index], item));
  }
  return wanted.every((item) =>
    live.some((other) => hasName(other) && other.name === item.name && covers(other, item)),
  );
}

function hasName(item: unknown): item is { readonly name: string } {
  return typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';
}
