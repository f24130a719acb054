import { counted } from '@fairway/api/domain/counted';
import type { CallOptions } from '@fairway/openstack/service-api';
import { certificatesOfCluster } from '@fairway/tenancy/cloud/certificates';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import type { Leftover } from './leftover.ts';

const MAX_AGE_MS = 60_000;
const LOOK_AGAIN_MS = 2_000;

/** Deletes the certificates of a cluster, whose load balancers are gone. Returns what is left. */
export async function deleteCertificates(
  cloud: ProjectCloud,
  clusterUid: string,
  options: CallOptions,
): Promise<Leftover | undefined> {
  const ledger = cloud.ledgers.keySecrets;
  const nowMs = cloud.now();
  if (ledger.isInDoubt((owner) => owner.startsWith(`${clusterUid}/`), nowMs)) {
    throw new StillSettling('certificate', nowMs + LOOK_AGAIN_MS);
  }
  const present = await certificatesOfCluster(cloud, clusterUid, cloud.completeFromMs(ledger, MAX_AGE_MS));
  const { listedAtMs = 0 } = cloud.cache.keySecrets.snapshot();
  const left = present.filter(({ secret }) => !ledger.isDeleting(secret.id, listedAtMs));
  for (const { secret } of left) {
    await cloud.remove(ledger, secret.id, () => cloud.client.keyManager.deleteSecret(secret.id, options));
  }
  return left.length === 0 ? undefined : { what: counted(left.length, 'certificate'), retryAfterMs: LOOK_AGAIN_MS };
}
