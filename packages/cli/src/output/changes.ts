import type { KubeObject } from '@fairway/kube/object/meta';

/** The fields that users write. */
const USER_FIELDS = ['metadata.labels', 'metadata.annotations', 'spec'];

/** The changes between two states of an object, one line per field: `spec.replicas: 3 -> 5`. Pure. */
export function changesOf(before: object | undefined, after: object): readonly string[] {
  const old = leavesOf(before ?? {});
  const now = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) =>
    USER_FIELDS.some((shown) => path === shown || path.startsWith(`${shown}.`)),
  );
  return paths.toSorted().flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is) return [];
    if (was === undefined) return [`${path}: ${is}`];
    return [`${path}: ${was} -> ${is ?? '(none)'}`];
  });
}

/**
 * The fields in which a requested object differs from an existing one, formatted as by {@link changesOf}; omitted
 * fields are ignored. Pure.
 */
export function differingFields(desired: object, existing: object): readonly string[] {
  const requestedLeaves = leavesOf(desired);
  return changesOf(existing, desired).filter((line) => requestedLeaves.has(line.slice(0, line.indexOf(': '))));
}

/** The message for a dry run, followed by the changes. */
export function dryRunText(sentence: string, before: KubeObject | undefined, after: KubeObject): string {
  return [`${sentence} (server dry run)`, ...changesOf(before, after).map((line) => `  ${line}`), ''].join('\n');
}

/** Leaf values by path. A list counts as one value, since its entries have no names. */
function leavesOf(value: unknown, path = ''): Map<string, string> {
  const isParent = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isParent) return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return new Map(fields.flatMap(([key, each]) => [...leavesOf(each, path === '' ? key : `${path}.${key}`)]));
}
