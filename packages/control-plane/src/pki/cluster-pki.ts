import { randomBytes } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { joinPemBundles } from '@fairway/kube/pki/certificate-info';
import { createServiceAccountKeys, type ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';

const YEAR_MS = 365 * 86_400_000;
/** kubeadm's figure. */
export const AUTHORITY_VALIDITY_MS = 10 * YEAR_MS;

/**
 * An authority with room for a second one. Both are believed, `active` alone signs. While a rotation prepares, `standby` is
 * the next authority; after the switch it is the former one, until everything that it signed has been replaced.
 */
export interface AuthorityPair {
  readonly active: CertificateAuthority;
  readonly standby: CertificateAuthority | undefined;
}

/** The roots of a cluster's trust. Every cluster has its own, so that no credential of one means anything to another. */
export interface ClusterPki {
  /** Signs the API server's certificate, users, components and kubelets. */
  readonly cluster: AuthorityPair;
  /** Signs the client certificate that the API server shows to aggregated API servers. */
  readonly frontProxy: AuthorityPair;
  readonly serviceAccountKeys: ServiceAccountKeys;
}

/**
 * New roots for a cluster. Their subjects differ from any other's, because clients choose an issuer by its subject, and say nothing of the
 * cluster: everybody who may connect sees them, and what Fairway makes in a cloud is marked with the cluster's UID.
 */
export async function createClusterPki(clock: Clock): Promise<ClusterPki> {
  const organization = randomBytes(8).toString('hex');
  const authority = async (commonName: string): Promise<AuthorityPair> => ({
    active: await createCertificateAuthority({
      commonName,
      organization,
      clock,
      validityMs: AUTHORITY_VALIDITY_MS,
    }),
    standby: undefined,
  });
  return {
    cluster: await authority('kubernetes'),
    frontProxy: await authority('kubernetes-front-proxy'),
    serviceAccountKeys: await createServiceAccountKeys(),
  };
}

/** PEM of every authority that is believed, the signing one first: `ca.crt` of kubeconfigs, nodes and components. */
export function trustBundle({ active, standby }: AuthorityPair): string {
  return joinPemBundles(active.certificatePem, standby?.certificatePem ?? '');
}
