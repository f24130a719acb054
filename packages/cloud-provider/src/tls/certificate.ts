import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Secret } from '@fairway/kube/kinds/generated/types';

/** What a Secret of the type `kubernetes.io/tls` holds, when it can be served. */
export interface TlsCertificate {
  readonly privateKey: KeyObject;
  /** The key's own certificate first, then those that signed it. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  /** Of all of it, in hexadecimal digits. */
  readonly fingerprint: string;
}

/** Of what Octavia serves. */
const KEY_TYPES: ReadonlySet<string> = new Set(['rsa', 'ec']);
const MAX_CHAIN = 10;
/** Base64 of both together. Barbican takes 20,000 characters of base64 of a secret, and what is in a Secret is encoded twice. */
export const MAX_TLS_DATA = 36_000;

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Reads a Secret; one that is no certificate with its key tells why. Its type does not matter, as elsewhere. Pure. */
export function readCertificate({ data = {} }: Pick<Secret, 'data'>): TlsCertificate | { readonly problem: string } {
  const certificate = data['tls.crt'] ?? '';
  const key = data['tls.key'] ?? '';
  if (certificate === '' || key === '') return { problem: `it has no ${certificate === '' ? 'tls.crt' : 'tls.key'}` };
  if (certificate.length + key.length > MAX_TLS_DATA) {
    return { problem: `tls.crt and tls.key are longer than ${MAX_TLS_DATA} bytes of base64` };
  }
  const privateKey = readKey(textOf(key));
  if (privateKey === undefined) return { problem: 'tls.key is no private key in PEM without a passphrase' };
  const type = privateKey.asymmetricKeyType ?? 'unknown';
  if (!KEY_TYPES.has(type)) return { problem: `tls.key is of the type ${type}, and must be RSA or ECDSA` };
  const [first, ...others] = readChain(textOf(certificate)) ?? [];
  if (first === undefined) return { problem: `tls.crt is not one to ${MAX_CHAIN} certificates in PEM` };
  if (!first.checkPrivateKey(privateKey)) {
    return { problem: 'tls.key is not the key of the first certificate in tls.crt' };
  }
  const chain = [first, ...others] as const;
  return { privateKey, chain: [...chain], fingerprint: fingerprintOf(privateKey, chain) };
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return undefined;
  }
}

function readChain(pem: string): readonly X509Certificate[] | undefined {
  const parts = pem.match(PEM_CERTIFICATE) ?? [];
  if (parts.length > MAX_CHAIN) return undefined;
  try {
    return parts.map((part) => new X509Certificate(part));
  } catch {
    return undefined;
  }
}

function fingerprintOf(privateKey: KeyObject, chain: readonly X509Certificate[]): string {
  const hash = createHash('sha256').update(privateKey.export({ type: 'pkcs8', format: 'der' }));
  for (const { raw } of chain) hash.update(raw);
  return hash.digest('hex');
}
