/** What becomes of resources in the cloud that nothing here has any more: deleted, or told alone. */
export const ORPHAN_POLICIES = ['Delete', 'Report'] as const;
export type OrphanPolicy = (typeof ORPHAN_POLICIES)[number];
