import type { World } from '../world.ts';
import { overQuota } from './problem.ts';

const TYPE_QUOTAS = ['volumes', 'gigabytes', 'snapshots'] as const;

/** Cinder's default limits; limits per type are unlimited by default. */
export function defaultVolumeLimits(world: World): Record<string, number> {
  const limits: Record<string, number> = { ...world.config.quotas['block-storage'] };
  for (const { name } of world.tables.volumeTypes.values()) {
    for (const resource of TYPE_QUOTAS) limits[`${resource}_${name}`] = -1;
  }
  return limits;
}

/** The limits of a project; -1 is unlimited. */
export function volumeLimits(world: World, projectId: string): Record<string, number> {
  return { ...defaultVolumeLimits(world), ...world.tables.quotas.get(quotaId(projectId))?.limits };
}

export function quotaId(projectId: string): string {
  return `block-storage/${projectId}`;
}

/** A project's usage by limit name. Snapshots count as much as their volumes. */
export function volumeUsage(world: World, projectId: string): Record<string, number> {
  const used: Record<string, number> = { volumes: 0, gigabytes: 0, snapshots: 0 };
  const add = (resource: string, typeId: string, amount: number): void => {
    const typeQuotaName = `${resource}_${world.tables.volumeTypes.get(typeId)?.name ?? ''}`;
    used[resource] = (used[resource] ?? 0) + amount;
    used[typeQuotaName] = (used[typeQuotaName] ?? 0) + amount;
  };
  for (const volume of world.tables.volumes.values()) {
    if (volume.projectId !== projectId) continue;
    add('volumes', volume.typeId, 1);
    // Cinder reserves the additional size when an extension is requested.
    add('gigabytes', volume.typeId, volume.pending?.step === 'extend' ? volume.pending.sizeGiB : volume.sizeGiB);
  }
  for (const snapshot of world.tables.snapshots.values()) {
    if (snapshot.projectId !== projectId) continue;
    add('snapshots', snapshot.typeId, 1);
    add('gigabytes', snapshot.typeId, snapshot.sizeGiB);
  }
  return used;
}

export interface VolumeDemand {
  readonly resource: 'volumes' | 'snapshots';
  readonly sizeGiB: number;
  readonly typeId: string;
}

/** Throws Cinder's 413 if the project's quota does not allow another volume or snapshot of this size and type. */
export function requireVolumeQuota(world: World, projectId: string, { resource, sizeGiB, typeId }: VolumeDemand): void {
  const limits = volumeLimits(world, projectId);
  const used = volumeUsage(world, projectId);
  const type = world.tables.volumeTypes.get(typeId)?.name ?? '';
  const maxVolumeGiB = limits['per_volume_gigabytes'] ?? -1;
  if (resource === 'volumes' && maxVolumeGiB >= 0 && sizeGiB > maxVolumeGiB) throw tooLargeError(sizeGiB, maxVolumeGiB);
  for (const name of ['gigabytes', `gigabytes_${type}`]) requireGigabytes(limits, used, name, sizeGiB);
  for (const name of [resource, `${resource}_${type}`]) {
    const limit = limits[name] ?? -1;
    if (limit < 0 || (used[name] ?? 0) + 1 <= limit) continue;
    throw resource === 'volumes'
      ? overQuota('VolumeLimitExceeded', `Maximum number of volumes allowed (${limit}) exceeded for quota '${name}'.`)
      : overQuota('SnapshotLimitExceeded', `Maximum number of snapshots allowed (${limit}) exceeded`);
  }
}

/** Throws Cinder's 413 if the project's quota does not allow the extension. */
export function requireRoomToExtend(
  world: World,
  projectId: string,
  typeId: string,
  fromGiB: number,
  toGiB: number,
): void {
  const limits = volumeLimits(world, projectId);
  const maxVolumeGiB = limits['per_volume_gigabytes'] ?? -1;
  if (maxVolumeGiB >= 0 && toGiB > maxVolumeGiB) throw tooLargeError(toGiB, maxVolumeGiB);
  const used = volumeUsage(world, projectId);
  const type = world.tables.volumeTypes.get(typeId)?.name ?? '';
  for (const name of ['gigabytes', `gigabytes_${type}`]) requireGigabytes(limits, used, name, toGiB - fromGiB, 'None');
}

function requireGigabytes(
  limits: Readonly<Record<string, number>>,
  used: Readonly<Record<string, number>>,
  name: string,
  additionalGiB: number,
  reportedName = name,
): void {
  const [limit, consumed] = [limits[name] ?? -1, used[name] ?? 0];
  if (limit < 0 || consumed + additionalGiB <= limit) return;
  throw overQuota(
    'VolumeSizeExceedsAvailableQuota',
    `Requested volume or snapshot exceeds allowed ${reportedName} quota. Requested ${additionalGiB}G, quota is ${limit}G and ${consumed}G has been consumed.`,
  );
}

function tooLargeError(sizeGiB: number, limitGiB: number): Error {
  return overQuota(
    'VolumeSizeExceedsLimit',
    `Requested volume size ${sizeGiB}G is larger than maximum allowed limit ${limitGiB}G.`,
  );
}
