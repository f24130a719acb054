import type { KubeObject } from '@fairway/kube/object/meta';

/** The fields that people write. */
const SHOWN = ['metadata.labels', 'metadata.annotations', 'spec'];

/** What becomes another value between two states of an object, a line for each field: `spec.replicas: 3 -> 5`. Pure. */
export function changesOf(before: object | undefined, after: object): readonly string[] {
  const old = leavesOf(before ?? {});
  const now = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) =>
    SHOWN.some((shown) => path === shown || path.startsWith(`${shown}.`)),
  );
  return paths.toSorted().flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is) return [];
    if (was === undefined) return [`${path}: ${is}`];
    return [`${path}: ${was} -> ${is ?? '(none)'}`];
  });
}

/** What an object that is asked for has otherwise than one that exists, as in {@link changesOf}; what it leaves out is as it likes. Pure. */
export function unlike(wanted: object, existing: object): readonly string[] {
  const asked = leavesOf(wanted);
  return changesOf(existing, wanted).filter((line) => asked.has(line.slice(0, line.indexOf(': '))));
}

/** What a dry run says: the sentence, and below it what changes. */
export function dryRunText(sentence: string, before: KubeObject | undefined, after: KubeObject): string {
  return [`${sentence} (server dry run)`, ...changesOf(before, after).map((line) => `  ${line}`), ''].join('\n');
}

/** Each value that has no fields by its path. A list is one value: its entries have no names. */
function leavesOf(value: unknown, path = ''): Map<string, string> {
  const isParent = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isParent) return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return new Map(fields.flatMap(([key, each]) => [...leavesOf(each, path === '' ? key : `${path}.${key}`)]));
}
