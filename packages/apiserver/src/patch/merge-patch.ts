import { isJsonObject, jsonEqual, setOwn } from '@fairway/kube/object/json';
import type { Json } from '@fairway/kube/object/meta';

/** Applies an RFC 7386 merge patch. The inputs are not changed; the result may share parts with them. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

/** The patch that turns `from` into `to`; undefined if they are equal. Nulls inside `to` cannot be expressed. */
export function createMergePatch(from: Json, to: Json): Json | undefined {
  if (jsonEqual(from, to)) return undefined;
  if (!isJsonObject(from) || !isJsonObject(to)) return to;
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setOwn(patch, key, null);
  for (const [key, value] of Object.entries(to)) {
    const change = Object.hasOwn(from, key) ? createMergePatch(from[key] ?? null, value) : value;
    if (change !== undefined) setOwn(patch, key, change);
  }
  return patch;
}
