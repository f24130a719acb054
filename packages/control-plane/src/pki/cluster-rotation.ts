import { type Clock, formatTime } from '@fairway/base/clock';
import { createServiceAccountKeys, loadServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { beginRotation, completeRotation, switchAuthority } from './authority-rotation.ts';
import { type ClusterPki, createClusterPki, newAuthorities, newBootstrapTokenKey } from './cluster-pki.ts';
import type { RotationRecord } from './rotation-record.ts';

/** When the first of a cluster's CAs expires. */
export function firstExpiryMs({ cluster, users, frontProxy }: ClusterPki): number {
  return Math.min(...[cluster, users, frontProxy].map(({ active }) => active.notAfterMs));
}

/**
 * `Stable` → `Trusting`: the next authorities exist and are trusted, but sign nothing. Throws if a rotation is in
 * progress.
 */
export async function beginClusterRotation(pki: ClusterPki, request: string, clock: Clock): Promise<ClusterPki> {
  requireStage(pki, 'Stable');
  const next = await newAuthorities(clock);
  const nextKey = (await createServiceAccountKeys()).signing;
  const { signing, verification } = pki.serviceAccountKeys;
  return {
    ...pki,
    cluster: beginRotation(pki.cluster, next.cluster),
    users: beginRotation(pki.users, next.users),
    frontProxy: beginRotation(pki.frontProxy, next.frontProxy),
    serviceAccountKeys: { signing, verification: [...verification, nextKey] },
    nextServiceAccountKey: nextKey.privateKeyPem,
    rotation: { ...enter(pki, 'Trusting', clock), generation: pki.rotation.generation + 1, request },
  };
}

/** `Trusting` → `Renewing`, once the control plane trusts both: the next authorities sign what clients present. */
export async function switchSigners(pki: ClusterPki, clock: Clock): Promise<ClusterPki> {
  requireStage(pki, 'Trusting');
  const { signing, verification } = pki.serviceAccountKeys;
  const next = await loadServiceAccountKeys(pki.nextServiceAccountKey ?? signing.privateKeyPem);
  const others = verification.filter(({ keyId }) => keyId !== next.signing.keyId);
  return {
    ...pki,
    // Kubeconfigs may have been revoked since the rotation began; then there is no standby.
    users: pki.users.standby === undefined ? pki.users : switchAuthority(pki.users),
    frontProxy: switchAuthority(pki.frontProxy),
    serviceAccountKeys: { signing: next.signing, verification: [next.signing, ...others] },
    nextServiceAccountKey: undefined,
    rotation: enter(pki, 'Renewing', clock),
  };
}

/**
 * `Renewing` → `Completing`, once every node trusts both: the previous authorities are permanently removed, with
 * everything that they have signed.
 */
export function completeClusterRotation(pki: ClusterPki, clock: Clock): ClusterPki {
  requireStage(pki, 'Renewing');
  const { signing } = pki.serviceAccountKeys;
  const usesFormerTokenKey = pki.bootstrapTokenKey === pki.cluster.active.privateKeyPem;
  return {
    ...pki,
    cluster: completeRotation(switchAuthority(pki.cluster)),
    users: completeRotation(pki.users),
    frontProxy: completeRotation(pki.frontProxy),
    serviceAccountKeys: { signing, verification: [signing] },
    bootstrapTokenKey: usesFormerTokenKey ? newBootstrapTokenKey() : pki.bootstrapTokenKey,
    rotation: enter(pki, 'Completing', clock),
  };
}

/** `Completing` → `Stable`, once the control plane runs with only the new authorities. */
export function endClusterRotation(pki: ClusterPki, clock: Clock): ClusterPki {
  requireStage(pki, 'Completing');
  return { ...pki, rotation: enter(pki, 'Stable', clock) };
}

/**
 * Invalidates all credentials signed for users so far; nodes and components keep their certificates. Possible at any stage of a
 * rotation.
 */
export async function revokeKubeconfigs(pki: ClusterPki, request: string, clock: Clock): Promise<ClusterPki> {
  const rotation = { ...pki.rotation, revocation: request, revoked: formatTime(clock.now()) };
  return { ...(await withNewUserAuthority(pki, clock)), rotation };
}

/**
 * Recreates all authorities for a cluster that was reset: earlier signatures become invalid, and a rotation in progress
 * ends. Processed requests remain recorded.
 */
export async function replaceAuthorities(pki: ClusterPki, clock: Clock): Promise<ClusterPki> {
  return { ...(await createClusterPki(clock)), rotation: enter(pki, 'Stable', clock) };
}

/** Creates a separate authority for users, which earlier releases did not have. */
export async function withNewUserAuthority(pki: ClusterPki, clock: Clock): Promise<ClusterPki> {
  const { users } = await newAuthorities(clock);
  return { ...pki, users: { active: users, standby: undefined } };
}

function enter({ rotation }: ClusterPki, stage: RotationRecord['stage'], clock: Clock): RotationRecord {
  return { ...rotation, stage, since: formatTime(clock.now()) };
}

function requireStage({ rotation }: ClusterPki, stage: RotationRecord['stage']): void {
  if (rotation.stage !== stage) {
    throw new Error(`the rotation of the cluster's credentials is at stage ${rotation.stage}, not ${stage}`);
  }
}
