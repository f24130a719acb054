import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { PkiError } from './pki-error.ts';

/**
 * Prefix of each curve's SubjectPublicKeyInfo, up to the marker of an uncompressed point, the only form that Go
 * supports.
 */
const EC_PREFIXES = [
  '3059301306072a8648ce3d020106082a8648ce3d03010703420004', // P-256
  '3076301006072a8648ce3d020106052b8104002203620004', // P-384
  '30819b301006072a8648ce3d020106052b810400230381860004', // P-521
];
const ED25519_PREFIX = '302a300506032b6570032100';
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;

/** DER of an AlgorithmIdentifier → verification parameters; SHA-1 and older are no longer accepted. */
const ALGORITHMS: Readonly<Record<string, { readonly type: string; readonly digest: string | undefined }>> = {
  '300d06092a864886f70d01010b0500': { type: 'rsa', digest: 'sha256' },
  '300d06092a864886f70d01010c0500': { type: 'rsa', digest: 'sha384' },
  '300d06092a864886f70d01010d0500': { type: 'rsa', digest: 'sha512' },
  '300a06082a8648ce3d040302': { type: 'ec', digest: 'sha256' },
  '300a06082a8648ce3d040303': { type: 'ec', digest: 'sha384' },
  '300a06082a8648ce3d040304': { type: 'ec', digest: 'sha512' },
  '300506032b6570': { type: 'ed25519', digest: undefined },
};

/** Throws a PkiError for a key that is unsuitable or not in the usual encoding. */
export function checkRequestKey(spki: Buffer): void {
  const hex = spki.toString('hex');
  const key = hex.startsWith(ED25519_PREFIX) || EC_PREFIXES.some((prefix) => hex.startsWith(prefix)) || isRsa(spki);
  if (key && keyOf(spki) !== undefined) return;
  throw new PkiError(
    `the key must be ECDSA on P-256, P-384 or P-521, Ed25519, or RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits with the exponent 65537`,
  );
}

/** Whether `signature` is the key's own signature over `signed`. `algorithm` is the DER of its AlgorithmIdentifier. */
export function isSignedBy(spki: Buffer, signed: Buffer, algorithm: Buffer, signature: Buffer): boolean {
  const known = ALGORITHMS[algorithm.toString('hex')];
  const key = keyOf(spki);
  if (known === undefined || key?.asymmetricKeyType !== known.type) return false;
  try {
    return verify(known.digest, signed, key, signature);
  } catch {
    return false; // The key is too large for OpenSSL.
  }
}

function isRsa(spki: Buffer): boolean {
  const key = keyOf(spki);
  const { modulusLength = 0, publicExponent } = key?.asymmetricKeyDetails ?? {};
  return (
    key?.asymmetricKeyType === 'rsa' &&
    publicExponent === 65_537n &&
    modulusLength >= MIN_RSA_BITS &&
    modulusLength <= MAX_RSA_BITS &&
    key.export({ type: 'spki', format: 'der' }).equals(spki)
  );
}

function keyOf(spki: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
