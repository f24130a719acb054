import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { readyOf } from '../operator/ready-state.ts';

/** The clusters for which Fairway uses the credential. */
export function clustersUsing({ metadata }: CloudCredential, clusters: readonly Cluster[]): readonly Cluster[] {
  return clusters.filter(
    ({ metadata: { namespace }, spec }) => namespace === metadata.namespace && spec.credentialName === metadata.name,
  );
}

/** Credentials that may replace this one: accepted, and for the same cloud and project. */
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
      // The project of a credential that is no longer accepted may be unknown.
      (status?.projectID === undefined || other.status?.projectID === status.projectID),
  );
}
