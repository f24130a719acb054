import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { reclaimPolicyOf } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { Problem } from '@fairway/tenancy/problem';
import {
  type DeletionOptions,
  displayName,
  displayNames,
  joinHeld,
  type RemainingResources,
  refused,
  removeEach,
} from './remaining-resources.ts';
import { busy, failedDeletion } from './volume-holds.ts';

/** Minimum interval between lists, and between deletions. */
const RETRY_MS = 10_000;
const MAX_AGE_MS = 5_000;

/**
 * The shares with the cluster's tags that are deleted with it, according to a list requested after `sinceMs`. None if
 * the cloud does not have Manila.
 */
export async function sharesToDelete(
  { cache }: ProjectCloud,
  clusterUid: string,
  sinceMs: number,
): Promise<readonly Share[]> {
  try {
    const shares = storageObjectsOfCluster(await cache.shares.refreshAfter(sinceMs), clusterUid);
    return shares.filter((share) => reclaimPolicyOf(share) !== 'Retain');
  } catch (error) {
    // A project that may not list shares cannot have created any.
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) return [];
    throw error;
  }
}

/**
 * Deletes the shares of a cluster without servers according to their reclaim policy, with their access rules; the others are retained.
 * Returns what remains to be deleted; rejects with the cloud's error.
 */
export async function deleteShares(
  cloud: ProjectCloud,
  clusterUid: string,
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  const ledger = cloud.ledgers.shares;
  const nowMs = cloud.now();
  // The cloud may still be processing a create request.
  if (ledger.hasUnknownOutcome((owner) => owner.startsWith(`${clusterUid}/`), nowMs)) {
    throw new StillSettlingError('share', nowMs + RETRY_MS);
  }
  const shares = await sharesToDelete(cloud, clusterUid, cloud.completeFromMs(ledger, MAX_AGE_MS));
  const { shares: manila } = cloud.client.sharedFileSystem;
  if (shares.length === 0) return undefined;
  const refusals = await removeEach(
    shares.filter(({ status }) => status !== 'deleting'),
    ({ id }) => cloud.remove(ledger, id, () => manila.delete(id, options)),
    (share, refusal) => holdOfShare(share, false) ?? shareHoldProblem(share, refusal),
  );
  const slow = joinHeld(shares.map((share) => holdOfShare(share, options.isLate)));
  return { what: displayNames('share', shares), retryAfterMs: RETRY_MS, held: refusals ?? slow };
}

function holdOfShare(share: Share, isLate: boolean): Problem | undefined {
  const what = displayName('share', share);
  if (share.status === 'error_deleting') return failedDeletion(what, 'Manila');
  return isLate && share.status === 'deleting' ? busy(what, share.status, 'Manila') : undefined;
}

/** Manila does not delete a share that has snapshots or replicas, or belongs to a group. */
function shareHoldProblem(share: Share, refusal: OpenStackError): Problem {
  const { reason, message } = refused('share', share, refusal);
  return { reason, message: `${message}: openstack share snapshot list --share ${share.id}` };
}
