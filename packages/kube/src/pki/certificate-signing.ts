import type { webcrypto } from 'node:crypto';
import { signatureAlgorithmOf } from './key-pair.ts';
import { keyUsageExtensions } from './key-usage.ts';
import { alternativeNamesExtension, type SubjectAlternativeNames } from './subject.ts';
import { x509 } from './x509-library.ts';

/** The complete contents of a certificate. */
export interface CertificateTemplate extends Partial<SubjectAlternativeNames> {
  readonly subject: InstanceType<typeof x509.Name>;
  readonly publicKey: webcrypto.CryptoKey | InstanceType<typeof x509.PublicKey>;
  /** Rounded down to seconds, the precision of certificates. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Names of certificates.k8s.io KeyUsage. */
  readonly usages: readonly string[];
  readonly authority?: boolean;
}

export interface Issuer {
  readonly subject: InstanceType<typeof x509.Name>;
  readonly keyId: string;
  readonly signingKey: webcrypto.CryptoKey;
}

/** Signs with a fresh random serial and the key identifiers of issuer and subject (RFC 5280 4.2.1.1 and 4.2.1.2). */
export async function signCertificate(
  issuer: Issuer,
  template: CertificateTemplate,
): Promise<InstanceType<typeof x509.X509Certificate>> {
  const alternativeNames = alternativeNamesExtension(template);
  return await x509.X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: template.subject,
    issuer: issuer.subject,
    notBefore: wholeSeconds(template.notBeforeMs),
    notAfter: wholeSeconds(template.notAfterMs),
    publicKey: template.publicKey,
    signingKey: issuer.signingKey,
    signingAlgorithm: signatureAlgorithmOf(issuer.signingKey),
    extensions: [
      ...keyUsageExtensions(template.usages),
      new x509.BasicConstraintsExtension(template.authority ?? false, template.authority ? 0 : undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(template.publicKey),
      new x509.AuthorityKeyIdentifierExtension(issuer.keyId),
      ...(alternativeNames === undefined ? [] : [alternativeNames]),
    ],
  });
}

function wholeSeconds(epochMs: number): Date {
  return new Date(Math.floor(epochMs / 1000) * 1000);
}

/** 128 bits as hex. The first two bits are fixed, so the number is positive and always has the full length. */
function randomSerial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
