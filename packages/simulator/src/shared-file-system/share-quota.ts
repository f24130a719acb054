import type { World } from '../world.ts';
import { forbidden, overQuota } from './problem.ts';

export function shareQuotaId(projectId: string): string {
  return `shared-file-system/${projectId}`;
}

/** The limits of a project; -1 is unlimited. */
export function shareLimits({ config, tables }: World, projectId: string): Record<string, number> {
  return { ...config.quotas['shared-file-system'], ...tables.quotas.get(shareQuotaId(projectId))?.limits };
}

/** A project's usage by limit name; zero for unsupported resources. */
export function shareUsage({ config, tables }: World, projectId: string): Record<string, number> {
  const used = Object.fromEntries(Object.keys(config.quotas['shared-file-system']).map((name) => [name, 0]));
  const add = (name: string, amount: number): void => {
    used[name] = (used[name] ?? 0) + amount;
  };
  for (const share of tables.shares.values()) {
    if (share.projectId !== projectId) continue;
    add('shares', 1);
    // The additional size is reserved as soon as an extension is requested.
    add('gigabytes', share.pending?.step === 'extend' ? share.pending.sizeGiB : share.sizeGiB);
  }
  for (const snapshot of tables.shareSnapshots.values()) {
    if (snapshot.projectId !== projectId) continue;
    add('snapshots', 1);
    add('snapshot_gigabytes', snapshot.sizeGiB);
  }
  return used;
}

const QUOTA_MESSAGE = 'either per project/user or share type quota is exceeded';

/** Throws Manila's 413 if the project's quota has no room for another share of this size. */
export function requireShareQuota(world: World, projectId: string, sizeGiB: number): void {
  requireSize(world, projectId, sizeGiB);
  if (!hasRoom(world, projectId, 'gigabytes', sizeGiB)) {
    throw overQuota(
      'ShareSizeExceedsAvailableQuota',
      'Requested share exceeds allowed project/user or share type gigabytes quota.',
    );
  }
  if (!hasRoom(world, projectId, 'shares', 1)) {
    const limit = shareLimits(world, projectId)['shares'];
    throw overQuota('ShareLimitExceeded', `Maximum number of shares allowed (${limit}) ${QUOTA_MESSAGE}.`);
  }
}

/** Throws if the project's quota does not allow the extension; exceeding the total gigabytes results in a 403. */
export function requireRoomToExtend(world: World, projectId: string, fromGiB: number, toGiB: number): void {
  requireSize(world, projectId, toGiB);
  if (hasRoom(world, projectId, 'gigabytes', toGiB - fromGiB)) return;
  throw forbidden('Requested share exceeds allowed project/user or share type gigabytes quota.');
}

export function requireSnapshotQuota(world: World, projectId: string, sizeGiB: number): void {
  if (!hasRoom(world, projectId, 'snapshot_gigabytes', sizeGiB)) {
    throw overQuota(
      'SnapshotSizeExceedsAvailableQuota',
      'Requested snapshot exceeds allowed project/user or share type gigabytes quota.',
    );
  }
  if (!hasRoom(world, projectId, 'snapshots', 1)) {
    const limit = shareLimits(world, projectId)['snapshots'];
    throw overQuota('SnapshotLimitExceeded', `Maximum number of snapshots allowed (${limit}) ${QUOTA_MESSAGE}.`);
  }
}

function requireSize(world: World, projectId: string, sizeGiB: number): void {
  const limit = shareLimits(world, projectId)['per_share_gigabytes'] ?? -1;
  if (limit < 0 || sizeGiB <= limit) return;
  throw overQuota(
    'ShareSizeExceedsLimit',
    `Requested share size ${sizeGiB} is larger than maximum allowed limit ${limit}.`,
  );
}

function hasRoom(world: World, projectId: string, name: string, more: number): boolean {
  const limit = shareLimits(world, projectId)[name] ?? -1;
  return limit < 0 || (shareUsage(world, projectId)[name] ?? 0) + more <= limit;
}
