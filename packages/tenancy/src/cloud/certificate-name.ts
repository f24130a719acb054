import { createHash } from 'node:crypto';

/** The object in a tenant's cluster that a certificate in Barbican is for. */
export interface CertificateOwner {
  readonly clusterUid: string;
  readonly kind: 'ingress' | 'gateway';
  /** UID of the Ingress or Gateway. */
  readonly uid: string;
}

/** The Secret in the cluster from which the certificate was copied. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Parsed from a certificate's name in Barbican. */
export interface CertificateMark {
  readonly owner: CertificateOwner;
  /** See `sourceOf`. */
  readonly source: string;
  /** Digest of the certificates and the key. */
  readonly fingerprint: string;
}

/** SQL LIKE pattern for the names of all certificates, in any cluster. */
export const CERTIFICATE_NAME_PATTERN = 'fairway-cluster-%';

const MARK_PATTERN = /^fairway-cluster-(.{1,255})-(ingress|gateway)-([^ ]{1,255})-([0-9a-f]{16})-([0-9a-f]{32})(?: |$)/;
/** Barbican's limit for names. */
const MAX_NAME_LENGTH = 255;

/**
 * The name of a secret in Barbican. A secret's name is immutable, and is the only mark that a create call can set. It
 * ends with the Secret's name, for readability.
 */
export function certificateName({ owner, fingerprint }: Omit<CertificateMark, 'source'>, secret: SecretName): string {
  const { clusterUid, kind, uid } = owner;
  const mark = `fairway-cluster-${clusterUid}-${kind}-${uid}-${sourceOf(secret)}-${fingerprint.slice(0, 32)}`;
  return `${mark} ${secret.namespace}/${secret.name}`.slice(0, MAX_NAME_LENGTH);
}

/**
 * Parses the name of a certificate in Barbican; undefined for a secret that is not Fairway's. Barbican lists only the
 * session's project.
 */
export function certificateMark({ name }: { readonly name?: string | null | undefined }): CertificateMark | undefined {
  const [, clusterUid, kind, uid, source, fingerprint] = MARK_PATTERN.exec(name ?? '') ?? [];
  if (clusterUid === undefined || uid === undefined || source === undefined || fingerprint === undefined) {
    return undefined;
  }
  return { owner: { clusterUid, kind: kind === 'gateway' ? kind : 'ingress', uid }, source, fingerprint };
}

/** Represents the Secret, whose name may be too long. */
export function sourceOf({ namespace, name }: SecretName): string {
  return createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 16);
}
