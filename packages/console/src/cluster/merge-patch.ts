export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The JSON merge patch (RFC 7386) that turns one object into another; null removes a field. Undefined if the objects
 * are equal.
 */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  const oldFields = before as Record<string, unknown>;
  const is = after as Record<string, unknown>;
  for (const key of new Set([...Object.keys(oldFields), ...Object.keys(is)])) {
    const [oldValue, desired] = [oldFields[key], is[key]];
    if (desired === undefined) {
      patch[key] = null;
    } else if (isPlain(oldValue) && isPlain(desired)) {
      const inner = mergePatch(oldValue, desired);
      if (inner !== undefined) patch[key] = inner;
    } else if (JSON.stringify(oldValue) !== JSON.stringify(desired)) {
      patch[key] = desired;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * The fields that a patch changes: `spec.replicas`, `metadata.labels.team`. Keys may contain dots, so each path is a
 * list.
 */
export function changedPaths(patch: object, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    isPlain(value) ? changedPaths(value, [...path, key]) : [[...path, key]],
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
