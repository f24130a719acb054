import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { AuthorityPair } from './cluster-pki.ts';

/** A CA is rotated when this much of its lifetime remains, so that no certificate outlives the CA that signed it. */
export const AUTHORITY_RENEWAL_MS = 2 * 365 * 86_400_000;

/** Whether an automatic rotation is due. */
export function isRotationDue({ active, standby }: AuthorityPair, nowMs: number): boolean {
  return standby === undefined && active.notAfterMs - nowMs < AUTHORITY_RENEWAL_MS;
}

/** First stage: the next CA is trusted everywhere before it signs anything. Throws if a rotation is in progress. */
export function beginRotation(pair: AuthorityPair, next: CertificateAuthority): AuthorityPair {
  if (pair.standby !== undefined) throw new Error('a rotation of the certificate authority is already in progress');
  return { active: pair.active, standby: next };
}

/** Second stage, once the next CA is trusted everywhere: it signs, and the previous one remains trusted. */
export function switchAuthority({ active, standby }: AuthorityPair): AuthorityPair {
  if (standby === undefined) throw new Error('there is no next certificate authority to switch to');
  return { active: standby, standby: active };
}

/**
 * Last stage, once nothing signed by the previous CA is in use: the previous CA and its credentials stop being trusted.
 */
export function completeRotation({ active }: AuthorityPair): AuthorityPair {
  return { active, standby: undefined };
}
