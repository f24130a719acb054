import type { Json } from './meta.ts';

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether `value` is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Equality of JSON values. The order of object keys does not matter; an undefined property counts as absent. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isJsonArray(left)) {
    if (!isJsonArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) {
      if (!jsonEqual(left[index], right[index])) return false;
    }
    return true;
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  let present = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    // Ignores inherited properties: `__proto__` is an ordinary name in JSON.
    if (!Object.hasOwn(right, key) || !jsonEqual(left[key], right[key])) return false;
    present++;
  }
  for (const key in right) if (right[key] !== undefined) present--;
  return present === 0;
}

/** A copy that shares nothing with `value`; faster than structuredClone for plain JSON. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item)) as T;
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) setOwn(copy, key, cloneJson(item));
  }
  return copy as T;
}

/** Assigns a property with any name: `__proto__` becomes an ordinary property. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (target as Record<string, unknown>)[key] = value;
  }
}

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  }
  return `{${parts.join(',')}}`;
}
