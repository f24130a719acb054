import { dump, load } from 'js-yaml';

/** Objects as one would keep them in a file. */
export function yamlOf(...objects: readonly object[]): string {
  return objects.map((object) => dump(object, { lineWidth: 100, noRefs: true })).join('---\n');
}

export type Read = { readonly ok: true; readonly value: object } | { readonly ok: false; readonly problem: string };

/** What a text says, or where it is no YAML. */
export function readYaml(text: string): Read {
  try {
    const value = load(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value };
    return { ok: false, problem: 'an object is expected, with apiVersion, kind, metadata and spec' };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
