import { isNewRequest, requestValueOf } from '@fairway/api/domain/request';
import {
  COMPLETE_ROTATION_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
} from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import {
  beginClusterRotation,
  completeClusterRotation,
  endClusterRotation,
  revokeKubeconfigs,
  switchSigners,
  withNewUserAuthority,
} from '@fairway/control-plane/pki/cluster-rotation';
import { hasUsersAuthority } from '@fairway/control-plane/pki/pki-secret';

/** Users' requests: annotations, each value of which is acted on once. */
export interface CredentialRequests {
  readonly revocation: string | undefined;
  readonly rotation: string | undefined;
  /** The rotation to complete. */
  readonly completion: string | undefined;
  /** The cluster has not issued anything yet, so requests in its manifest are already fulfilled. */
  readonly isNew: boolean;
}

export function credentialRequests(cluster: Cluster): CredentialRequests {
  return {
    revocation: requestValueOf(cluster, REVOKE_KUBECONFIGS_ANNOTATION),
    rotation: requestValueOf(cluster, ROTATE_CREDENTIALS_ANNOTATION),
    completion: requestValueOf(cluster, COMPLETE_ROTATION_ANNOTATION),
    isNew: cluster.status?.endpoint === undefined,
  };
}

/** The observed state of a CA rotation. */
export interface RotationProgress {
  /** Whether the control plane runs with the current CA and is connected. */
  readonly isRunning: boolean;
  /** Whether every machine was installed after the current rotation started. */
  readonly areNodesRenewed: boolean;
}

/** Not observed, or not running. */
export const NO_ROTATION: RotationProgress = { isRunning: false, areNodesRenewed: false };

/**
 * `adopt`: records requests that a new cluster was created with as fulfilled. `ownUsers`: for clusters created by a
 * release without a separate CA for users. `begin`, `switch`, `complete`, `end`: the stages of a rotation.
 */
export type CredentialsStep = 'ownUsers' | 'adopt' | 'revoke' | 'begin' | 'switch' | 'complete' | 'end';

/** The next change of a cluster's CA; undefined if there is nothing to do, or it must wait. Pure. */
export function nextCredentialsStep(
  pki: Pick<ClusterPki, 'users' | 'cluster' | 'rotation'>,
  { revocation, rotation, completion, isNew }: CredentialRequests,
  { isRunning, areNodesRenewed }: RotationProgress,
): CredentialsStep | undefined {
  const { stage, request, revocation: revoked } = pki.rotation;
  const isRevocation = isNewRequest(revocation, revoked);
  const isRotation = isNewRequest(rotation, request);
  if (!hasUsersAuthority(pki)) return 'ownUsers';
  if (isNew && stage === 'Stable' && (isRevocation || isRotation)) return 'adopt';
  if (isRevocation) return 'revoke';
  switch (stage) {
    case 'Stable':
      return isRotation ? 'begin' : undefined;
    case 'Trusting':
      return isRunning ? 'switch' : undefined;
    case 'Renewing':
      return isRunning && areNodesRenewed && completion === request ? 'complete' : undefined;
    case 'Completing':
      return isRunning ? 'end' : undefined;
  }
}

/** Computes the step. Nothing is written yet, and the result can be discarded. */
export async function takeCredentialsStep(
  pki: ClusterPki,
  step: CredentialsStep,
  { revocation, rotation }: Pick<CredentialRequests, 'revocation' | 'rotation'>,
  clock: Clock,
): Promise<ClusterPki> {
  switch (step) {
    case 'ownUsers':
      return withNewUserAuthority(pki, clock);
    case 'adopt': {
      const followed = {
        ...(revocation !== undefined && { revocation }),
        ...(rotation !== undefined && { request: rotation }),
      };
      return { ...pki, rotation: { ...pki.rotation, ...followed } };
    }
    case 'revoke':
      return revokeKubeconfigs(pki, revocation ?? '', clock);
    case 'begin':
      return beginClusterRotation(pki, rotation ?? '', clock);
    case 'switch':
      return switchSigners(pki, clock);
    case 'complete':
      return completeClusterRotation(pki, clock);
    case 'end':
      return endClusterRotation(pki, clock);
  }
}
