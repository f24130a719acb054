import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';

/** Somebody else that writes a field. */
export interface Owner {
  readonly field: string;
  readonly manager: string;
  /** Applies it again and again, as GitOps does, and so would put it back. */
  readonly isApplied: boolean;
}

/** Who of others than the console owns fields, or parts of them, by an object's `metadata.managedFields`. */
export function ownersOf(
  managedFields: readonly ManagedFieldsEntry[],
  paths: readonly (readonly string[])[],
  own: string,
): readonly Owner[] {
  const owners = new Map<string, Owner>();
  for (const { manager = '', operation, subresource = '', fieldsV1 } of managedFields) {
    if (manager === own || subresource !== '') continue;
    for (const path of paths) {
      if (!owns(fieldsV1, path)) continue;
      const field = path.join('.');
      owners.set(`${manager} ${field}`, { field, manager, isApplied: operation === 'Apply' });
    }
  }
  return [...owners.values()];
}

/** `f:spec` and so on; what stands for a whole field owns what is in it. */
function owns(fields: unknown, path: readonly string[]): boolean {
  let current = fields;
  for (const [index, key] of path.entries()) {
    if (typeof current !== 'object' || current === null) return false;
    const next: unknown = (current as Record<string, unknown>)[`f:${key}`];
    if (next === undefined) return index > 0 && Object.keys(current).length === 0;
    current = next;
  }
  return true;
}
