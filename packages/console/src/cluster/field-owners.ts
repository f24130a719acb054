import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';

/** Another manager of a field. */
export interface Owner {
  readonly field: string;
  readonly manager: string;
  /** The manager applies the field repeatedly, as GitOps tools do, and would therefore revert a change. */
  readonly isApplied: boolean;
}

/** Managers other than the console that own fields or parts of them, according to `metadata.managedFields`. */
export function ownersOf(
  managedFields: readonly ManagedFieldsEntry[],
  paths: readonly (readonly string[])[],
  ownManager: string,
): readonly Owner[] {
  const ownersByPath = new Map<string, Owner>();
  for (const { manager = '', operation, subresource = '', fieldsV1 } of managedFields) {
    if (manager === ownManager || subresource !== '') continue;
    for (const path of paths) {
      if (!ownsPath(fieldsV1, path)) continue;
      const field = path.join('.');
      ownersByPath.set(`${manager} ${field}`, { field, manager, isApplied: operation === 'Apply' });
    }
  }
  return [...ownersByPath.values()];
}

/** Keys such as `f:spec`; a manager of a whole field also owns its children. */
function ownsPath(fields: unknown, path: readonly string[]): boolean {
  let current = fields;
  for (const [index, key] of path.entries()) {
    if (typeof current !== 'object' || current === null) return false;
    const next: unknown = (current as Record<string, unknown>)[`f:${key}`];
    if (next === undefined) return index > 0 && Object.keys(current).length === 0;
    current = next;
  }
  return true;
}
