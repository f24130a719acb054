/** `parent.name`, or `name` at the root. */
export function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

/** `parent[3]`. */
export function indexPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** `parent[key]`, in the format of apimachinery's `field.Path.Key` for a member of a map. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`;
}
