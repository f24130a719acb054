import { createPublicKey, type webcrypto } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import { generateKeyPair, privateKeyFromPem, privateKeyToPem } from './key-pair.ts';
import { PkiError } from './pki-error.ts';

/** A public key that verifies service-account tokens. */
export interface ServiceAccountVerificationKey {
  readonly keyId: string;
  readonly algorithm: 'ES256' | 'RS256';
  readonly publicKey: webcrypto.CryptoKey;
  /** As published at `/openid/v1/jwks`. */
  readonly jwk: JWK;
}

export interface ServiceAccountSigningKey extends ServiceAccountVerificationKey {
  readonly privateKey: webcrypto.CryptoKey;
  /** In a format that kube-apiserver's `--service-account-signing-key-file` accepts. */
  readonly privateKeyPem: string;
}

/**
 * The keys of one cluster's issuer: `signing` signs tokens, `verification` (which includes it) verifies them. A rotation puts
 * the next key first and keeps the old one for verification until its last token has expired.
 */
export interface ServiceAccountKeys {
  readonly signing: ServiceAccountSigningKey;
  readonly verification: readonly ServiceAccountVerificationKey[];
}

/**
 * Generates ES256 keys. kube-apiserver accepts both ES256 and RS256, but a P-256 key takes 4 ms to generate (RSA-2048:
 * 45 ms) and signs faster, and the tokens that pods send with every request are 280 bytes shorter. RS256 is only
 * verified, for clusters that already use it.
 */
export async function createServiceAccountKeys(): Promise<ServiceAccountKeys> {
  const { privateKey } = await generateKeyPair();
  return await loadServiceAccountKeys(await privateKeyToPem(privateKey));
}

/** Loads keys from PEM: the private key that signs, and older public or private keys that still verify. */
export async function loadServiceAccountKeys(
  privateKeyPem: string,
  previousKeyPems: readonly string[] = [],
): Promise<ServiceAccountKeys> {
  const signing = {
    ...(await verificationKey(privateKeyPem)),
    privateKey: privateKeyFromPem(privateKeyPem),
    privateKeyPem,
  };
  const previousKeys = await Promise.all(previousKeyPems.map(verificationKey));
  return { signing, verification: [signing, ...previousKeys] };
}

async function verificationKey(pem: string): Promise<ServiceAccountVerificationKey> {
  const key = parsePublicKey(pem);
  const algorithm = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  if (algorithm === 'ES256' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new PkiError('service-account key must be ECDSA on P-256 or RSA');
  }
  const publicKey =
    algorithm === 'RS256'
      ? key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['verify'])
      : key.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']);
  const jwk = await exportJWK(publicKey);
  const keyId = await calculateJwkThumbprint(jwk);
  return { keyId, algorithm, publicKey, jwk: { ...jwk, kid: keyId, alg: algorithm, use: 'sig' } };
}

function parsePublicKey(pem: string) {
  try {
    return createPublicKey(pem);
  } catch (error) {
    throw new PkiError('service-account key is not readable PEM', { cause: error });
  }
}
