import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import type { ShareType } from './records.ts';

/** Fills in the configured types, also in a cloud of an earlier release, which had none. */
export function bootstrapShareTypes({ config, tables }: World): void {
  if (tables.shareTypes.size > 0) return;
  for (const { id, name, extraSpecs } of config.shareTypes) {
    tables.shareTypes.put({ id, name, description: null, isPublic: true, extraSpecs, projectIds: [] });
  }
}

/** The type of shares for which none is named: the first of the configuration, as long as there is one of its name. */
export function defaultShareType({ config, tables }: World): ShareType | undefined {
  const name = config.shareTypes[0]?.name;
  return tables.shareTypes.find((type) => type.name === name);
}

export function seesShareType(access: Access, type: ShareType): boolean {
  return type.isPublic || isAdmin(access) || type.projectIds.includes(access.projectId);
}

/** By id or, if there is none of that id, by name, as far as the caller sees it. */
export function lookUpShareType({ tables }: World, access: Access, idOrName: string): ShareType | undefined {
  const type = tables.shareTypes.get(idOrName) ?? tables.shareTypes.find(({ name }) => name === idOrName);
  return type !== undefined && seesShareType(access, type) ? type : undefined;
}

/** What a share of a type can be asked for. */
export const CAPABILITIES = [
  'snapshot_support',
  'create_share_from_snapshot_support',
  'revert_to_snapshot_support',
  'mount_snapshot_support',
] as const;

export function isSet(type: ShareType | undefined, spec: string): boolean {
  return /^(1|t|true|on|y|yes)$/i.test((type?.extraSpecs[spec] ?? '').replace(/^<is>\s*/, ''));
}
