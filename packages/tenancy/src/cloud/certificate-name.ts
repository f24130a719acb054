import { createHash } from 'node:crypto';

/** What in a tenant's cluster a certificate in Barbican is for. */
export interface CertificateOwner {
  readonly clusterUid: string;
  readonly kind: 'ingress' | 'gateway';
  /** Of the Ingress or Gateway. */
  readonly uid: string;
}

/** The Secret in the cluster that it is a copy of. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** As a certificate's name in Barbican tells it. */
export interface CertificateMark {
  readonly owner: CertificateOwner;
  /** See `sourceOf`. */
  readonly source: string;
  /** Of the certificates and the key. */
  readonly fingerprint: string;
}

/** The names of all of them, whatever cluster they are of, as SQL's LIKE reads it. */
export const CERTIFICATE_NAMES = 'fairway-cluster-%';

const MARK = /^fairway-cluster-(.+)-(ingress|gateway)-([^ ]+)-([0-9a-f]{16})-([0-9a-f]{32})(?: |$)/;
/** Barbican's limit of a name. */
const MAX_NAME = 255;

/**
 * The name of a secret in Barbican, which is all that a call to make one can mark it with, and which nobody can change. It ends with the Secret's name, for people.
 */
export function certificateName({ owner, fingerprint }: Omit<CertificateMark, 'source'>, secret: SecretName): string {
  const { clusterUid, kind, uid } = owner;
  const mark = `fairway-cluster-${clusterUid}-${kind}-${uid}-${sourceOf(secret)}-${fingerprint.slice(0, 32)}`;
  return `${mark} ${secret.namespace}/${secret.name}`.slice(0, MAX_NAME);
}

/** What a certificate in Barbican is; undefined for a secret that is none of Fairway's. Barbican lists the session's project alone. */
export function certificateMark({ name }: { readonly name?: string | null | undefined }): CertificateMark | undefined {
  const [, clusterUid, kind, uid, source, fingerprint] = MARK.exec(name ?? '') ?? [];
  if (clusterUid === undefined || uid === undefined || source === undefined || fingerprint === undefined) {
    return undefined;
  }
  return { owner: { clusterUid, kind: kind === 'gateway' ? kind : 'ingress', uid }, source, fingerprint };
}

/** Stands for the Secret, whose name may be longer than there is room. */
export function sourceOf({ namespace, name }: SecretName): string {
  return createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 16);
}
