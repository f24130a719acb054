export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The JSON merge patch (RFC 7386) that turns one object into another; null removes a field. Undefined if they are equal. */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  const was = before as Record<string, unknown>;
  const is = after as Record<string, unknown>;
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, wanted] = [was[key], is[key]];
    if (wanted === undefined) {
      patch[key] = null;
    } else if (isPlain(old) && isPlain(wanted)) {
      const inner = mergePatch(old, wanted);
      if (inner !== undefined) patch[key] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(wanted)) {
      patch[key] = wanted;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The fields that a patch changes: `spec.replicas`, `metadata.labels.team`. A field's keys may have dots, so they come as lists. */
export function changedPaths(patch: object, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    isPlain(value) ? changedPaths(value, [...path, key]) : [[...path, key]],
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
