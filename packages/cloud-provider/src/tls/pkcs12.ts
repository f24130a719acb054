import {
  AuthenticatedSafe,
  CertBag,
  Certificate,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
} from 'pkijs';
import type { TlsCertificate } from './certificate.ts';

/** RFC 7292. */
const SHROUDED_KEY_BAG = '1.2.840.113549.1.12.10.1.2';
const CERT_BAG = '1.2.840.113549.1.12.10.1.3';
/** The empty password does not protect the key, but Octavia expects it: Barbican protects the key. */
const EMPTY_PASSWORD = new ArrayBuffer(0);
const ITERATIONS = 2048;
const HASH = 'SHA-256';

/**
 * A PKCS #12 bundle of a certificate with its key and its chain, in the form in which Octavia reads Barbican secrets.
 */
export async function pkcs12Of({ privateKey, chain }: Pick<TlsCertificate, 'privateKey' | 'chain'>): Promise<Buffer> {
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  const keyBag = new PKCS8ShroudedKeyBag({ parsedValue: PrivateKeyInfo.fromBER(bytesOf(pkcs8)) });
  await keyBag.makeInternalValues({
    password: EMPTY_PASSWORD,
    contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256 },
    hmacHashAlgorithm: HASH,
    iterationCount: ITERATIONS,
  });
  const certificates = chain.map(({ raw }) => new CertBag({ parsedValue: Certificate.fromBER(bytesOf(raw)) }));
  const value = new SafeContents({
    safeBags: [
      new SafeBag({ bagId: SHROUDED_KEY_BAG, bagValue: keyBag }),
      ...certificates.map((bagValue) => new SafeBag({ bagId: CERT_BAG, bagValue })),
    ],
  });
  const authenticatedSafe = new AuthenticatedSafe({ parsedValue: { safeContents: [{ privacyMode: 0, value }] } });
  await authenticatedSafe.makeInternalValues({ safeContents: [{}] });
  const bundle = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe } });
  await bundle.makeInternalValues({
    password: EMPTY_PASSWORD,
    iterations: ITERATIONS,
    pbkdf2HashAlgorithm: HASH,
    hmacHashAlgorithm: HASH,
  });
  return Buffer.from(bundle.toSchema().toBER());
}

function bytesOf(buffer: Uint8Array): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
