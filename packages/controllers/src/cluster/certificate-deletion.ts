import type { CallOptions } from '@fairway/openstack/service-api';
import { certificatesOfCluster } from '@fairway/tenancy/cloud/certificates';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { displayNames, type RemainingResources, refused, removeEach } from './remaining-resources.ts';

const MAX_AGE_MS = 60_000;
const RESYNC_INTERVAL_MS = 2_000;

/** Deletes the certificates of a cluster whose load balancers have been deleted. Returns what remains. */
export async function deleteCertificates(
  cloud: ProjectCloud,
  clusterUid: string,
  options: CallOptions,
): Promise<RemainingResources | undefined> {
  const ledger = cloud.ledgers.keySecrets;
  const nowMs = cloud.now();
  if (ledger.hasUnknownOutcome((owner) => owner.startsWith(`${clusterUid}/`), nowMs)) {
    throw new StillSettlingError('certificate', nowMs + RESYNC_INTERVAL_MS);
  }
  const present = await certificatesOfCluster(cloud, clusterUid, cloud.completeFromMs(ledger, MAX_AGE_MS));
  const { listedAtMs = 0 } = cloud.cache.keySecrets.snapshot();
  const left = present.filter(({ secret }) => !ledger.isDeleting(secret.id, listedAtMs));
  const secrets = left.map(({ secret }) => secret);
  const held = await removeEach(
    secrets,
    ({ id }) => cloud.remove(ledger, id, () => cloud.client.keyManager.deleteSecret(id, options)),
    (secret, refusal) => refused('certificate', secret, refusal),
  );
  const what = displayNames('certificate', secrets);
  return left.length === 0 ? undefined : { what, retryAfterMs: RESYNC_INTERVAL_MS, held };
}
