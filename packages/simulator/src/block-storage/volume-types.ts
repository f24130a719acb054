import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { notFound } from './problem.ts';
import type { VolumeType } from './records.ts';

const LUKS_PROVIDER = 'luks';

/** Creates the configured types, even in a cloud that was saved by an earlier release without types. */
export function bootstrapVolumeTypes({ config, tables }: World): void {
  if (tables.volumeTypes.size > 0) return;
  for (const { id, name, extraSpecs, isEncrypted } of config.volumeTypes) {
    tables.volumeTypes.put({
      id,
      name,
      description: null,
      isPublic: true,
      extraSpecs,
      projectIds: [],
      encryption: isEncrypted
        ? {
            id: id.replace(/^..../, 'e1c0'),
            provider: LUKS_PROVIDER,
            cipher: 'aes-xts-plain64',
            keySize: 256,
            controlLocation: 'front-end',
          }
        : null,
    });
  }
}

/** The default type of volumes. */
export function defaultType({ config, tables }: World): VolumeType {
  const [first] = config.volumeTypes;
  const type =
    first && (tables.volumeTypes.get(first.id) ?? tables.volumeTypes.find(({ name }) => name === first.name));
  if (type === undefined) throw notFound('Default volume type can not be found.');
  return type;
}

export function canSeeType(access: Access, type: VolumeType): boolean {
  return type.isPublic || isAdmin(access) || type.projectIds.includes(access.projectId);
}

/** The type with this ID or, failing that, with this name, if it is visible to the caller. */
export function lookUpType(world: World, access: Access, idOrName: string): VolumeType | undefined {
  const { volumeTypes } = world.tables;
  const type = volumeTypes.get(idOrName) ?? volumeTypes.find(({ name }) => name === idOrName);
  return type !== undefined && canSeeType(access, type) ? type : undefined;
}

export function isMultiattachType(type: VolumeType): boolean {
  return type.extraSpecs['multiattach'] === '<is> True';
}
