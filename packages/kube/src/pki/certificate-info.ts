import { createHash, X509Certificate } from 'node:crypto';
import { RecentMap } from '@fairway/base/recent-map';
import { parseCertificate } from './certificate-authority.ts';
import { keyUsagesOf } from './key-usage.ts';
import { pemBlocks, pemOf } from './pem.ts';
import { PkiError } from './pki-error.ts';
import { alternativeNamesOf, type Subject, type SubjectAlternativeNames, subjectOf } from './subject.ts';
import { x509 } from './x509-library.ts';

export interface CertificateInfo extends Subject, SubjectAlternativeNames {
  readonly issuer: Subject;
  readonly isAuthority: boolean;
  /** Names of certificates.k8s.io KeyUsage. */
  readonly usages: readonly string[];
  readonly serialNumber: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Lower-case hex SHA-256 of the DER. */
  readonly fingerprintSha256: string;
}

/** Reconciles parse the same few certificates repeatedly, and parsing one takes a millisecond. */
const known = new RecentMap<CertificateInfo>(256);

/** Parses the first certificate in a PEM text. */
export function certificateInfo(pem: string): CertificateInfo {
  const first = splitPemBundle(pem)[0] ?? pem;
  let info = known.get(first);
  if (info === undefined) {
    info = readCertificate(first);
    known.set(first, info);
  }
  return info;
}

function readCertificate(pem: string): CertificateInfo {
  const certificate = parseCertificate(pem);
  try {
    return infoOf(certificate);
  } catch (error) {
    throw new PkiError(`certificate of ${certificate.subject} has an unreadable part`, { cause: error });
  }
}

/** The library decodes some parts, such as extensions, only on access. */
function infoOf(certificate: ReturnType<typeof parseCertificate>): CertificateInfo {
  return {
    ...subjectOf(certificate.subjectName),
    ...alternativeNamesOf(certificate.extensions),
    issuer: subjectOf(certificate.issuerName),
    isAuthority: certificate.getExtension(x509.BasicConstraintsExtension)?.ca ?? false,
    usages: keyUsagesOf(certificate.extensions),
    serialNumber: certificate.serialNumber,
    notBeforeMs: certificate.notBefore.getTime(),
    notAfterMs: certificate.notAfter.getTime(),
    fingerprintSha256: sha256Hex(certificate.rawData),
  };
}

/** The certificates in a bundle, each as separate canonical PEM; other blocks are omitted. */
export function splitPemBundle(bundle: string): string[] {
  return pemBlocks(bundle)
    .filter(({ type }) => type === 'CERTIFICATE')
    .map(pemOf);
}

/**
 * One bundle of all certificates in `bundles`, each once, in order. During a rotation it contains the new and the old
 * CA: both are trusted, only one signs.
 */
export function joinPemBundles(...bundles: readonly string[]): string {
  const certificates = new Map<string, string>();
  for (const pem of bundles.flatMap(splitPemBundle)) {
    const fingerprint = fingerprintOf(pem);
    if (!certificates.has(fingerprint)) certificates.set(fingerprint, pem);
  }
  if (certificates.size === 0) throw new PkiError('CA bundle holds no certificate');
  return [...certificates.values()].join('');
}

/**
 * A thousand clusters have separate bundles, and parsing a whole certificate takes forty times as long as hashing it.
 */
function fingerprintOf(pem: string): string {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch (error) {
    throw new PkiError('certificate is not readable PEM', { cause: error });
  }
}

function sha256Hex(bytes: ArrayBuffer): string {
  return createHash('sha256').update(new Uint8Array(bytes)).digest('hex');
}
