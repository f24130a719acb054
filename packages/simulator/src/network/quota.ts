import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { conflict } from './problem.ts';
import type { Resource } from './records.ts';

/** The limits of a project; -1 is unlimited. */
export function networkLimits(world: World, projectId: string): Record<string, number> {
  return { ...world.config.quotas.network, ...world.tables.quotas.get(`network/${projectId}`)?.limits };
}

/** Throws Neutron's OverQuota if `count` more objects exceed the quota. */
export function requireQuota(
  world: World,
  resource: string,
  table: Table<Resource> | { where(predicate: (row: Resource) => boolean): readonly Resource[] },
  projectId: string,
  count: number,
): void {
  const limit = networkLimits(world, projectId)[resource] ?? -1;
  if (limit < 0) return;
  const used = table.where((row) => row.project_id === projectId).length;
  if (used + count > limit) throw conflict('OverQuota', `Quota exceeded for resources: ['${resource}'].`);
}
