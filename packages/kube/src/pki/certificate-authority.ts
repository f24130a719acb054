import { createPublicKey, type webcrypto } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { type CertificateTemplate, signCertificate } from './certificate-signing.ts';
import { generateKeyPair, privateKeyFromPem, privateKeyToPem } from './key-pair.ts';
import { pemBlocks } from './pem.ts';
import { PkiError } from './pki-error.ts';
import { nameOf } from './subject.ts';
import { x509 } from './x509-library.ts';

/** How far certificates are backdated, for nodes whose clocks lag; as in kube-controller-manager. */
export const BACKDATE_MS = 5 * 60_000;

/** A CA certificate with its private key. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly subject: InstanceType<typeof x509.Name>;
  /** Hex of the subject key identifier. The CA's certificates contain it as their authority key identifier. */
  readonly keyId: string;
  readonly notAfterMs: number;
  readonly signingKey: webcrypto.CryptoKey;
}

export interface CertificateAuthorityOptions {
  readonly commonName: string;
  readonly organization?: string;
  readonly clock: Clock;
  readonly validityMs: number;
}

/** Creates a self-signed CA with a P-256 key, for leaf certificates only (path length 0). */
export async function createCertificateAuthority(options: CertificateAuthorityOptions): Promise<CertificateAuthority> {
  const { commonName, organization, clock, validityMs } = options;
  const keys = await generateKeyPair();
  const subject = nameOf({ commonName, organizations: organization === undefined ? [] : [organization] });
  const identifier = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
  const template: CertificateTemplate = {
    subject,
    publicKey: keys.publicKey,
    notBeforeMs: clock.now() - BACKDATE_MS,
    notAfterMs: clock.now() + validityMs,
    usages: ['digital signature', 'key encipherment', 'cert sign', 'crl sign'],
    authority: true,
  };
  const certificate = await signCertificate(
    { subject, keyId: identifier.keyId, signingKey: keys.privateKey },
    template,
  );
  return authorityOf(certificate, keys.privateKey, await privateKeyToPem(keys.privateKey));
}

/** Throws a PkiError if the certificate is not a CA, or the key does not match it. */
export async function loadCertificateAuthority(
  certificatePem: string,
  privateKeyPem: string,
): Promise<CertificateAuthority> {
  const certificate = parseCertificate(certificatePem);
  const isAuthority = certificate.getExtension(x509.BasicConstraintsExtension)?.ca ?? false;
  if (!isAuthority) throw new PkiError(`certificate of ${certificate.subject} is not a CA certificate`);
  const signingKey = privateKeyFromPem(privateKeyPem);
  if (!isKeyOf(certificate, privateKeyPem)) {
    throw new PkiError(`private key does not belong to the certificate of ${certificate.subject}`);
  }
  return authorityOf(certificate, signingKey, privateKeyPem);
}

/** Maximum size of a certificate in bytes; one with several hundred names takes 16 KiB. */
const MAX_DER_LENGTH = 64 * 1024;

/** Parses the first certificate in a PEM text. */
export function parseCertificate(pem: string): InstanceType<typeof x509.X509Certificate> {
  const block = pemBlocks(pem).find(({ type }) => type === 'CERTIFICATE');
  if (block === undefined) throw new PkiError('certificate is not readable PEM');
  if (block.der.length > MAX_DER_LENGTH) {
    throw new PkiError(`certificate has ${block.der.length} bytes, the limit is ${MAX_DER_LENGTH}`);
  }
  try {
    return new x509.X509Certificate(new Uint8Array(block.der));
  } catch (error) {
    throw new PkiError('certificate is not readable PEM', { cause: error });
  }
}

function isKeyOf(certificate: InstanceType<typeof x509.X509Certificate>, privateKeyPem: string): boolean {
  const spki = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
  return spki.equals(new Uint8Array(certificate.publicKey.rawData));
}

async function authorityOf(
  certificate: InstanceType<typeof x509.X509Certificate>,
  signingKey: webcrypto.CryptoKey,
  privateKeyPem: string,
): Promise<CertificateAuthority> {
  // Taken from the certificate if present, because Go and openssl derive the identifier differently.
  const identifier =
    certificate.getExtension(x509.SubjectKeyIdentifierExtension) ??
    (await x509.SubjectKeyIdentifierExtension.create(certificate.publicKey));
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem,
    subject: certificate.subjectName,
    keyId: identifier.keyId,
    notAfterMs: certificate.notAfter.getTime(),
    signingKey,
  };
}
