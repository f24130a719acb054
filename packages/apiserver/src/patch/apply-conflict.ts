import { ApiError } from '@fairway/kube/object/api-error';
import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { type FieldSet, forEachPath } from './field-set.ts';

/** Fields that an applier wants to set to a different value than the manager of `entry`. */
export interface ManagerConflict {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/**
 * 409 Conflict of a server-side apply, with a cause per field, in apimachinery's wording
 * (managedfields/internal/conflict.go).
 */
export function applyConflict(conflicts: readonly ManagerConflict[]): ApiError {
  const causes: { manager: string; path: string }[] = [];
  for (const { entry, fields } of conflicts) {
    forEachPath(fields, (path) => causes.push({ manager: describeManager(entry), path }));
  }
  return new ApiError(409, 'Conflict', messageOf(causes), {
    causes: causes.map(({ manager, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field: path,
    })),
  });
}

function messageOf(causes: readonly { manager: string; path: string }[]): string {
  const [first] = causes;
  if (first !== undefined && causes.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.path}`;
  }
  const pathsByManager = Map.groupBy(causes, ({ manager }) => manager);
  const lines = [...pathsByManager.keys()].sort().flatMap((manager) => {
    const paths = pathsByManager.get(manager) ?? [];
    return [`conflicts with ${manager}:`, ...paths.map(({ path }) => `- ${path}`)];
  });
  return `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const name = JSON.stringify(manager ?? '');
  const where = subresource === undefined || subresource === '' ? name : `${name} with subresource "${subresource}"`;
  return operation === 'Update' ? `${where} using ${apiVersion}` : where;
}
