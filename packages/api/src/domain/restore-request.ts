import { isNotLater } from './request.ts';

/** A snapshot that is to be restored, once; another time makes it another request. */
export interface RestoreRequest {
  readonly snapshot: string;
  readonly requestedAt?: string | undefined;
}

/** What has been restored, as `status.etcd` and the control plane's record have it. */
export interface PastRestores {
  readonly lastRestore?: RestoreRequest | undefined;
  /** Those before the last, the newest first. */
  readonly earlierRestores?: readonly RestoreRequest[] | undefined;
}

/** So many are remembered beside the last one. */
export const MAX_EARLIER_RESTORES = 20;

/**
 * Whether a restore is asked for that was not carried out yet. Neither one of before the last is, as far back as is remembered, nor one of an earlier time
 * than the last: a manifest in a repository may have it, and a database must not go back because that is applied again.
 */
export function isNewRestore(asked: RestoreRequest, { lastRestore, earlierRestores = [] }: PastRestores = {}): boolean {
  if (lastRestore === undefined) return true;
  if ([lastRestore, ...earlierRestores].some((past) => isSameRestore(asked, past))) return false;
  return !isEarlierRestore(asked, lastRestore);
}

export function isSameRestore(a: RestoreRequest, b: RestoreRequest | undefined): boolean {
  return a.snapshot === b?.snapshot && a.requestedAt === b.requestedAt;
}

/** At the same time two snapshots may be asked for, one after the other. */
function isEarlierRestore({ requestedAt: asked }: RestoreRequest, { requestedAt: last }: RestoreRequest): boolean {
  return asked !== undefined && last !== undefined && isNotLater(asked, last) && !isNotLater(last, asked);
}
