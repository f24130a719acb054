import { counted } from '@fairway/api/domain/counted';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { reclaimPolicyOf } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { Leftover } from './leftover.ts';

/** Neither list nor deletion are repeated more often. */
const RETRY_MS = 10_000;
const MAX_AGE_MS = 5_000;

/** The shares with the cluster's marks that go with it, by a list that began after `sinceMs`. None where the cloud has no Manila. */
export async function sharesToDelete(
  { cache }: ProjectCloud,
  clusterUid: string,
  sinceMs: number,
): Promise<readonly Share[]> {
  try {
    const shares = storedOfCluster(await cache.shares.refreshAfter(sinceMs), clusterUid);
    return shares.filter((share) => reclaimPolicyOf(share) !== 'Retain');
  } catch (error) {
    // Who may not list shares has made none.
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) return [];
    throw error;
  }
}

/**
 * Deletes the shares of a cluster without servers whose reclaim policy says so, with their rules of access; the others stay. Returns what is left to be
 * deleted; rejects with the cloud's error.
 */
export async function deleteShares(
  cloud: ProjectCloud,
  clusterUid: string,
  options: CallOptions,
): Promise<Leftover | undefined> {
  const ledger = cloud.ledgers.shares;
  const nowMs = cloud.now();
  // The cloud may be at work on a request to make one.
  if (ledger.isInDoubt((owner) => owner.startsWith(`${clusterUid}/`), nowMs)) {
    throw new StillSettling('share', nowMs + RETRY_MS);
  }
  const shares = await sharesToDelete(cloud, clusterUid, cloud.completeFromMs(ledger, MAX_AGE_MS));
  const { shares: manila } = cloud.client.sharedFileSystem;
  for (const { id, status } of shares) {
    if (status === 'deleting') continue;
    await cloud.remove(ledger, id, () => manila.delete(id, options));
  }
  return shares.length === 0 ? undefined : { what: counted(shares.length, 'share'), retryAfterMs: RETRY_MS };
}
