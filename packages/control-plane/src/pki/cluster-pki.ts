import { randomBytes } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { joinPemBundles } from '@fairway/kube/pki/certificate-info';
import { createServiceAccountKeys, type ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { NEVER_ROTATED, type RotationRecord } from './rotation-record.ts';

const YEAR_MS = 365 * 86_400_000;
/** kubeadm's default. */
export const AUTHORITY_VALIDITY_MS = 10 * YEAR_MS;

/**
 * A CA with an optional second one. Both are trusted, but only `active` signs. Before the switch of a rotation,
 * `standby` is the next CA; after the switch, it is the previous one, until everything that it signed has been
 * replaced.
 */
export interface AuthorityPair {
  readonly active: CertificateAuthority;
  readonly standby: CertificateAuthority | undefined;
}

/**
 * A cluster's certificate authorities and keys. Each cluster has its own, so that credentials of one cluster are not
 * valid for another.
 */
export interface ClusterPki {
  /** Signs the API server's certificate, components and kubelets. */
  readonly cluster: AuthorityPair;
  /**
   * Signs users' kubeconfigs. It is separate, so that all kubeconfigs can be revoked without affecting nodes. Clusters
   * created by earlier releases have no separate CA for users; for them, this is `cluster`.
   */
  readonly users: AuthorityPair;
  /** Signs the client certificate that the API server presents to aggregated API servers. */
  readonly frontProxy: AuthorityPair;
  /** During a rotation, `verification` contains both keys, so verification never depends on which key signs. */
  readonly serviceAccountKeys: ServiceAccountKeys;
  /** The key that signs tokens after the next stage of a rotation; PEM. */
  readonly nextServiceAccountKey?: string | undefined;
  /**
   * The key from which nodes' bootstrap tokens are derived. It survives rotations, because a server may be booting with
   * such a token.
   */
  readonly bootstrapTokenKey: string;
  readonly rotation: RotationRecord;
}

/**
 * Creates the certificate authorities of a cluster. Their subjects are unique, because clients look up an issuer by
 * subject. The subjects reveal nothing about the cluster: any client that can connect sees them, while cloud resources
 * are marked with the cluster's UID.
 */
export async function createClusterPki(clock: Clock): Promise<ClusterPki> {
  const next = await newAuthorities(clock);
  return {
    cluster: { active: next.cluster, standby: undefined },
    users: { active: next.users, standby: undefined },
    frontProxy: { active: next.frontProxy, standby: undefined },
    serviceAccountKeys: await createServiceAccountKeys(),
    bootstrapTokenKey: newBootstrapTokenKey(),
    rotation: NEVER_ROTATED,
  };
}

/** One authority for each purpose. */
export type Authorities = Readonly<Record<'cluster' | 'users' | 'frontProxy', CertificateAuthority>>;

export async function newAuthorities(clock: Clock): Promise<Authorities> {
  const organization = randomBytes(8).toString('hex');
  const authority = (commonName: string) =>
    createCertificateAuthority({ commonName, organization, clock, validityMs: AUTHORITY_VALIDITY_MS });
  return {
    cluster: await authority('kubernetes'),
    users: await authority('kubernetes-users'),
    frontProxy: await authority('kubernetes-front-proxy'),
  };
}

export function newBootstrapTokenKey(): string {
  return randomBytes(32).toString('hex');
}

/** PEM of every trusted CA, the signing one first: `ca.crt` of kubeconfigs, nodes and components. */
export function trustBundle({ active, standby }: AuthorityPair): string {
  return joinPemBundles(active.certificatePem, standby?.certificatePem ?? '');
}

/** PEM of every CA whose clients the API server admits. */
export function clientTrustBundle({ cluster, users }: ClusterPki): string {
  return joinPemBundles(trustBundle(cluster), trustBundle(users));
}

/**
 * Signs the client certificates that components and kubelets present to the API server: see the stages of a rotation.
 */
export function clientAuthority({ cluster, rotation }: ClusterPki): CertificateAuthority {
  return rotation.stage === 'Renewing' ? (cluster.standby ?? cluster.active) : cluster.active;
}
