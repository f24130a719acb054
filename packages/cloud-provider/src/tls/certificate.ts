import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { pemBlocks } from '@fairway/kube/pki/pem';

/** The content of a valid Secret of type `kubernetes.io/tls`. */
export interface TlsCertificate {
  readonly privateKey: KeyObject;
  /** The certificate of the key, followed by the certificates that signed it. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  /** Fingerprint of the key and the whole chain, in hexadecimal digits. */
  readonly fingerprint: string;
}

/** Key types that Octavia supports. */
const KEY_TYPES: ReadonlySet<string> = new Set(['rsa', 'ec']);
const MAX_CHAIN_LENGTH = 10;
/**
 * Maximum total Base64 length of the certificate and key. Barbican accepts 20,000 characters of Base64 per secret, and
 * the content of a Secret is encoded twice.
 */
export const MAX_TLS_DATA_LENGTH = 36_000;

/**
 * Reads a Secret, or returns the problem if it does not contain a certificate with its key. The Secret's type is
 * ignored, as in other controllers. Pure.
 */
export function readCertificate({ data = {} }: Pick<Secret, 'data'>): TlsCertificate | { readonly problem: string } {
  const certificate = data['tls.crt'] ?? '';
  const key = data['tls.key'] ?? '';
  if (certificate === '' || key === '') return { problem: `it has no ${certificate === '' ? 'tls.crt' : 'tls.key'}` };
  if (certificate.length + key.length > MAX_TLS_DATA_LENGTH) {
    return { problem: `tls.crt and tls.key are longer than ${MAX_TLS_DATA_LENGTH} bytes of base64` };
  }
  const privateKey = readKey(textOf(key));
  if (privateKey === undefined) return { problem: 'tls.key is not an unencrypted PEM private key' };
  const type = privateKey.asymmetricKeyType ?? 'unknown';
  if (!KEY_TYPES.has(type)) return { problem: `tls.key is of type ${type}, but must be RSA or ECDSA` };
  const [first, ...others] = readChain(textOf(certificate)) ?? [];
  if (first === undefined) return { problem: `tls.crt must contain 1 to ${MAX_CHAIN_LENGTH} PEM certificates` };
  if (!first.checkPrivateKey(privateKey)) {
    return { problem: 'tls.key does not match the first certificate in tls.crt' };
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
  const parts = pemBlocks(pem).filter(({ type }) => type === 'CERTIFICATE');
  if (parts.length > MAX_CHAIN_LENGTH) return undefined;
  try {
    return parts.map(({ der }) => new X509Certificate(der));
  } catch {
    return undefined;
  }
}

function fingerprintOf(privateKey: KeyObject, chain: readonly X509Certificate[]): string {
  const hash = createHash('sha256').update(privateKey.export({ type: 'pkcs8', format: 'der' }));
  for (const { raw } of chain) hash.update(raw);
  return hash.digest('hex');
}
