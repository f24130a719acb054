import type { Clock } from '@fairway/base/clock';
import { BACKDATE_MS, type CertificateAuthority } from './certificate-authority.ts';
import { type CertificateTemplate, signCertificate } from './certificate-signing.ts';
import { generateKeyPair, privateKeyToPem } from './key-pair.ts';
import { PkiError } from './pki-error.ts';
import { nameOf } from './subject.ts';

export interface CertificateOptions {
  /** User name of a client certificate. */
  readonly commonName: string;
  /** Groups of a client certificate. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly usages: 'client' | 'server' | 'both';
  /** Counted from now; capped at the CA's own expiry. */
  readonly validityMs: number;
  readonly clock: Clock;
  /** The subject's public key; by default a key pair is generated. */
  readonly publicKey?: CertificateTemplate['publicKey'];
}

export interface IssuedCertificate {
  readonly certificatePem: string;
  /** The generated private key; undefined if a public key was given. */
  readonly privateKeyPem: string | undefined;
  readonly notAfterMs: number;
}

const EXTENDED_USAGES = {
  client: ['client auth'],
  server: ['server auth'],
  both: ['server auth', 'client auth'],
} as const satisfies Record<CertificateOptions['usages'], readonly string[]>;

/** Throws a PkiError if the CA itself has expired, because nothing that it signs would be trusted. */
export async function issueCertificate(
  authority: CertificateAuthority,
  options: CertificateOptions,
): Promise<IssuedCertificate> {
  const nowMs = options.clock.now();
  if (authority.notAfterMs <= nowMs) {
    throw new PkiError(`certificate authority ${authority.subject.toString()} has expired; it cannot sign`);
  }
  const generatedKey = options.publicKey === undefined ? await generateKeyPair() : undefined;
  const notAfterMs = Math.min(nowMs + options.validityMs, authority.notAfterMs);
  const certificate = await signCertificate(authority, {
    subject: nameOf({ commonName: options.commonName, organizations: options.organizations ?? [] }),
    dnsNames: options.dnsNames ?? [],
    ipAddresses: options.ipAddresses ?? [],
    publicKey: options.publicKey ?? (generatedKey as NonNullable<typeof generatedKey>).publicKey,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs,
    usages: ['digital signature', 'key encipherment', ...EXTENDED_USAGES[options.usages]],
  });
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem: generatedKey && (await privateKeyToPem(generatedKey.privateKey)),
    notAfterMs: certificate.notAfter.getTime(),
  };
}
