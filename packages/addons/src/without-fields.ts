/** A list item in a field path, identified by its keys. */
const LIST_ITEM = /^\[([a-zA-Z]+)="([^"]*)"\]/;

/**
 * A copy of `object` without the fields at these paths, in the notation that an API server uses when it rejects an
 * apply because of field conflicts: `.spec.template.spec.containers[name="coredns"].image`, `.data.Corefile`. Undefined
 * if a path does not exist in the object or covers all of it.
 */
export function withoutFields<T extends object>(object: T, paths: readonly string[]): T | undefined {
  const copy = structuredClone(object);
  // Longest paths first: once a field is removed, the fields within it no longer exist.
  const sortedPaths = [...paths].sort((a, b) => b.length - a.length);
  return sortedPaths.every((path) => path !== '' && remove(copy, path)) ? copy : undefined;
}

function remove(value: unknown, path: string): boolean {
  if (Array.isArray(value)) return removeFromList(value, path);
  if (typeof value !== 'object' || value === null || !path.startsWith('.')) return false;
  const fields = value as Record<string, unknown>;
  const name = fieldAt(fields, path.slice(1));
  if (name === undefined) return false;
  const rest = path.slice(1 + name.length);
  if (rest === '') return delete fields[name];
  return remove(fields[name], rest);
}

function removeFromList(list: unknown[], path: string): boolean {
  const [text = '', key = '', itemKey] = LIST_ITEM.exec(path) ?? [];
  const index = list.findIndex((item) => (item as Readonly<Record<string, unknown>>)[key] === itemKey);
  if (text === '' || index < 0) return false;
  const rest = path.slice(text.length);
  if (rest === '') return list.splice(index, 1).length === 1;
  return remove(list[index], rest);
}

/** Field names may contain dots, as ConfigMap keys do, so the longest match wins. */
function fieldAt(fields: Readonly<Record<string, unknown>>, path: string): string | undefined {
  return Object.keys(fields)
    .filter((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
    .sort((a, b) => b.length - a.length)[0];
}
