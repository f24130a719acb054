import { randomBytes } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { joinPemBundles } from '@fairway/kube/pki/certificate-info';
import { createServiceAccountKeys, type ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';

const YEAR_MS = 365 * 86_400_000;
/** kubeadm's default. */
export const AUTHORITY_VALIDITY_MS = 10 * YEAR_MS;

/**
 * A CA with room for a second one. Both are trusted, only `active` signs. Before the switch of a rotation, `standby` is
 * the next CA; after it, the former one, until everything that it signed has been replaced.
 */
export interface AuthorityPair {
  readonly active: CertificateAuthority;
  readonly standby: CertificateAuthority | undefined;
}

/** The roots of a cluster's trust. Each cluster has its own, so that credentials of one are not valid for another. */
export interface ClusterPki {
  /** Signs the API server's certificate, users, components and kubelets. */
  readonly cluster: AuthorityPair;
  /** Signs the client certificate that the API server presents to aggregated API servers. */
  readonly frontProxy: AuthorityPair;
  readonly serviceAccountKeys: ServiceAccountKeys;
}

/**
 * Creates the roots of a cluster. Their subjects are unique, because clients look up an issuer by subject, and reveal nothing of the
 * cluster: anybody who can connect sees them, while resources in the cloud are marked with the cluster's UID.
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

/** PEM of every trusted CA, the signing one first: `ca.crt` of kubeconfigs, nodes and components. */
export function trustBundle({ active, standby }: AuthorityPair): string {
  return joinPemBundles(active.certificatePem, standby?.certificatePem ?? '');
}
