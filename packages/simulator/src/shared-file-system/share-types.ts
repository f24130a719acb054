import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import type { ShareType } from './records.ts';

/** Creates the configured types, even in a cloud that was saved by an earlier release without types. */
export function bootstrapShareTypes({ config, tables }: World): void {
  if (tables.shareTypes.size > 0) return;
  for (const { id, name, extraSpecs } of config.shareTypes) {
    tables.shareTypes.put({ id, name, description: null, isPublic: true, extraSpecs, projectIds: [] });
  }
}

/** The default type for shares: the first type in the configuration, as long as a type with this name exists. */
export function defaultShareType({ config, tables }: World): ShareType | undefined {
  const name = config.shareTypes[0]?.name;
  return tables.shareTypes.find((type) => type.name === name);
}

export function canSeeShareType(access: Access, type: ShareType): boolean {
  return type.isPublic || isAdmin(access) || type.projectIds.includes(access.projectId);
}

/** The type with this ID or, failing that, with this name, if it is visible to the caller. */
export function lookUpShareType({ tables }: World, access: Access, idOrName: string): ShareType | undefined {
  const type = tables.shareTypes.get(idOrName) ?? tables.shareTypes.find(({ name }) => name === idOrName);
  return type !== undefined && canSeeShareType(access, type) ? type : undefined;
}

/** Capabilities that shares of a type have. */
export const CAPABILITIES = [
  'snapshot_support',
  'create_share_from_snapshot_support',
  'revert_to_snapshot_support',
  'mount_snapshot_support',
] as const;

export function isSet(type: ShareType | undefined, spec: string): boolean {
  return /^(1|t|true|on|y|yes)$/i.test((type?.extraSpecs[spec] ?? '').replace(/^<is>\s*/, ''));
}
