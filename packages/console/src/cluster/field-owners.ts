import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';

/** Another manager of a field. */
export interface Owner {
  readonly field: string;
  readonly manager: string;
  /** Applies it repeatedly, as GitOps tools do, and so would revert a change. */
  readonly isApplied: boolean;
}

/** Managers other than the console that own fields or parts of them, by `metadata.managedFields`. */
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

/** Keys such as `f:spec`; a manager of a whole field also owns its children. */
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
