import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { readyOf } from '../operator/ready.ts';

/** The clusters that Fairway acts for by the credential. */
export function clustersOf({ metadata }: CloudCredential, clusters: readonly Cluster[]): readonly Cluster[] {
  return clusters.filter(
    ({ metadata: { namespace }, spec }) => namespace === metadata.namespace && spec.credentialName === metadata.name,
  );
}

/** Those that may take the place of one: accepted, of the same cloud and project. */
export function successorsOf(
  { metadata, spec, status }: CloudCredential,
  all: readonly CloudCredential[],
): readonly CloudCredential[] {
  return all.filter(
    (other) =>
      other.metadata.name !== metadata.name &&
      other.metadata.namespace === metadata.namespace &&
      other.metadata.deletionTimestamp === undefined &&
      other.spec.cloud === spec.cloud &&
      readyOf(other).state === 'ready' &&
      // One that is not accepted any more may not say whose it was.
      (status?.projectID === undefined || other.status?.projectID === status.projectID),
  );
}
