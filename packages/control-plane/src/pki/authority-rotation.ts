import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { AuthorityPair } from './cluster-pki.ts';

/** An authority is replaced while it still has so long to live: its certificates never outlive it. */
export const AUTHORITY_RENEWAL_MS = 2 * 365 * 86_400_000;

/** Whether a rotation should begin by itself. */
export function isRotationDue({ active, standby }: AuthorityPair, nowMs: number): boolean {
  return standby === undefined && active.notAfterMs - nowMs < AUTHORITY_RENEWAL_MS;
}

/** First stage: the next authority is believed everywhere before it signs anything. Throws where a rotation is in progress. */
export function beginRotation(pair: AuthorityPair, next: CertificateAuthority): AuthorityPair {
  if (pair.standby !== undefined) throw new Error('a rotation of the certificate authority is in progress already');
  return { active: pair.active, standby: next };
}

/** Second stage, once everyone believes the next authority: it signs, and the former one is still believed. */
export function switchAuthority({ active, standby }: AuthorityPair): AuthorityPair {
  if (standby === undefined) throw new Error('there is no next certificate authority to switch to');
  return { active: standby, standby: active };
}

/** Last stage, once nothing that the former authority signed is in use: its credentials die here. */
export function completeRotation({ active }: AuthorityPair): AuthorityPair {
  return { active, standby: undefined };
}
