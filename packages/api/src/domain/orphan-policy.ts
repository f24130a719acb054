/** Whether orphaned cloud resources are deleted or only reported. */
export const ORPHAN_POLICIES = ['Delete', 'Report'] as const;
export type OrphanPolicy = (typeof ORPHAN_POLICIES)[number];
