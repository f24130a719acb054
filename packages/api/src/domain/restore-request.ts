import { isNotLater } from './request.ts';

/** A snapshot to restore once; a different time makes it a new request. */
export interface RestoreRequest {
  readonly snapshot: string;
  readonly requestedAt?: string | undefined;
}

/** Processed restores, as recorded in `status.etcd` and by the control plane. */
export interface PastRestores {
  readonly lastRestore?: RestoreRequest | undefined;
  /** Earlier restores, newest first. */
  readonly earlierRestores?: readonly RestoreRequest[] | undefined;
}

/** How many earlier restores are remembered. */
export const MAX_EARLIER_RESTORES = 20;

/**
 * Whether a requested restore has not been processed yet. Remembered restores, and those requested before the last one,
 * are not new: a manifest in a repository may still contain them, and applying it again must not roll back the
 * database.
 */
export function isNewRestore(
  requested: RestoreRequest,
  { lastRestore, earlierRestores = [] }: PastRestores = {},
): boolean {
  if (lastRestore === undefined) return true;
  if ([lastRestore, ...earlierRestores].some((past) => isSameRestore(requested, past))) return false;
  return !isEarlierRestore(requested, lastRestore);
}

export function isSameRestore(a: RestoreRequest, b: RestoreRequest | undefined): boolean {
  return a.snapshot === b?.snapshot && a.requestedAt === b.requestedAt;
}

/** Two snapshots may be requested one after the other with the same time. */
function isEarlierRestore({ requestedAt: requested }: RestoreRequest, { requestedAt: last }: RestoreRequest): boolean {
  return requested !== undefined && last !== undefined && isNotLater(requested, last) && !isNotLater(last, requested);
}
