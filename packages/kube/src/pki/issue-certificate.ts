import type { webcrypto } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { BACKDATE_MS, type CertificateAuthority } from './certificate-authority.ts';
import { signCertificate } from './certificate-signing.ts';
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
  /** From now; cut to the authority's own end. */
  readonly validityMs: number;
  readonly clock: Clock;
  /** Whose certificate it is; a key pair is generated where none is given. */
  readonly publicKey?: webcrypto.CryptoKey;
}

export interface IssuedCertificate {
  readonly certificatePem: string;
  /** Of the generated key; undefined where the public key was given. */
  readonly privateKeyPem: string | undefined;
  readonly notAfterMs: number;
}

const EXTENDED_USAGES = {
  client: ['client auth'],
  server: ['server auth'],
  both: ['server auth', 'client auth'],
} as const satisfies Record<CertificateOptions['usages'], readonly string[]>;

/** Throws a PkiError when the authority itself has expired: nothing that it signs would be believed. */
export async function issueCertificate(
  authority: CertificateAuthority,
  options: CertificateOptions,
): Promise<IssuedCertificate> {
  const nowMs = options.clock.now();
  if (authority.notAfterMs <= nowMs) {
    throw new PkiError(`certificate authority ${authority.subject.toString()} has expired; it cannot sign`);
  }
  const generated = options.publicKey === undefined ? await generateKeyPair() : undefined;
  const notAfterMs = Math.min(nowMs + options.validityMs, authority.notAfterMs);
  const certificate = await signCertificate(authority, {
    subject: nameOf({ commonName: options.commonName, organizations: options.organizations ?? [] }),
    dnsNames: options.dnsNames ?? [],
    ipAddresses: options.ipAddresses ?? [],
    publicKey: options.publicKey ?? (generated as NonNullable<typeof generated>).publicKey,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs,
    usages: ['digital signature', 'key encipherment', ...EXTENDED_USAGES[options.usages]],
  });
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem: generated && (await privateKeyToPem(generated.privateKey)),
    notAfterMs: certificate.notAfter.getTime(),
  };
}
