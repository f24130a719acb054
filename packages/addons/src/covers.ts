import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { AddonObject } from './addon.ts';

/** Whether the live object has all desired fields, and in its exact fields nothing else. */
export function isAsDesired(live: KubeObject | undefined, desired: AddonObject): boolean {
  const { exactFields = [], object } = desired;
  if (!coversObject(live, object)) return false;
  const [liveSpec, spec] = [specOf(live), specOf(object)];
  return exactFields.every((field) => isDeepStrictEqual(liveSpec[field], spec[field]));
}

function specOf(object: KubeObject | undefined): Readonly<Record<string, unknown>> {
  const { spec = {} } = (object ?? {}) as { readonly spec?: Readonly<Record<string, unknown>> };
  return spec;
}

/** Like `covers`, for whole objects; items in list responses have no kind. */
export function coversObject(live: KubeObject | undefined, desired: KubeObject): boolean {
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = desired;
  return covers(live, fields);
}

/**
 * Whether `live` has every field of `desired` with the same value, regardless of other fields. Lists of named items are
 * compared by name, all other lists as a whole. If in doubt the result is false, which only leads to an apply that
 * changes nothing.
 */
function covers(live: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) return Array.isArray(live) && coversList(live, desired);
  if (typeof desired !== 'object' || desired === null) return live === desired;
  if (typeof live !== 'object' || live === null) return false;
  const fields = live as Readonly<Record<string, unknown>>;
  return Object.entries(desired).every(([name, value]) => value === undefined || covers(fields[name], value));
}

function coversList(live: readonly unknown[], desired: readonly unknown[]): boolean {
  if (!desired.every(hasName)) {
    return live.length === desired.length && desired.every((item, index) => covers(live[index], item));
  }
  return desired.every((item) =>
    live.some((other) => hasName(other) && other.name === item.name && covers(other, item)),
  );
}

function hasName(item: unknown): item is { readonly name: string } {
  return typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';
}
