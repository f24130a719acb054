import { createPublicKey, verify } from 'node:crypto';
import { type KeyPair, signatureAlgorithmOf } from './key-pair.ts';
import { keyUsageExtensions, keyUsagesOf } from './key-usage.ts';
import { PkiError } from './pki-error.ts';
import {
  alternativeNamesExtension,
  alternativeNamesOf,
  nameOf,
  type Subject,
  type SubjectAlternativeNames,
  subjectOf,
} from './subject.ts';
import { x509 } from './x509-library.ts';

/** A PKCS #10 request, read. Its signature is verified separately: `isRequestSignatureValid`. */
export interface CertificateRequest extends Subject, SubjectAlternativeNames {
  /** Names of certificates.k8s.io KeyUsage that the request itself states; signers go by `spec.usages` instead. */
  readonly usages: readonly string[];
  readonly subjectName: InstanceType<typeof x509.Name>;
  readonly publicKey: InstanceType<typeof x509.PublicKey>;
  readonly raw: InstanceType<typeof x509.Pkcs10CertificateRequest>;
}

/** A request with a 16,384-bit key and a hundred names has 10 KB. */
const MAX_PEM_CHARS = 64 * 1024;

/** Throws a PkiError, with kube-apiserver's message if `pem` has no CERTIFICATE REQUEST block. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  if (pem.length > MAX_PEM_CHARS) {
    throw new PkiError(`certificate request has ${pem.length} characters, the limit is ${MAX_PEM_CHARS}`);
  }
  const block = decodePem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new PkiError('PEM block type must be CERTIFICATE REQUEST');
  return decodeRequest(block.rawData);
}

/** Whether the request was signed with the key that it asks a certificate for. */
export function isRequestSignatureValid({ raw, publicKey }: CertificateRequest): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' });
    const { hash } = raw.signatureAlgorithm as { hash?: { name: string } };
    // Ed25519 hashes by itself.
    const digest = hash?.name.replace('-', '').toLowerCase();
    return verify(digest, signedPart(Buffer.from(raw.rawData)), key, Buffer.from(raw.signature));
  } catch {
    return false; // An unsupported key or algorithm can't be verified.
  }
}

/** The first element of the outermost DER sequence, with its header: what the signature is over. */
function signedPart(der: Buffer): Buffer {
  const start = headerLength(der, 0);
  return der.subarray(start, start + headerLength(der, start) + contentLength(der, start));
}

function headerLength(der: Buffer, offset: number): number {
  const length = der.readUInt8(offset + 1);
  return length < 0x80 ? 2 : 2 + (length & 0x7f);
}

function contentLength(der: Buffer, offset: number): number {
  const length = der.readUInt8(offset + 1);
  return length < 0x80 ? length : der.readUIntBE(offset + 2, length & 0x7f);
}

export interface CertificateRequestOptions extends Subject, Partial<SubjectAlternativeNames> {
  readonly keys: KeyPair;
  readonly usages?: readonly string[];
}

/** PEM of a signed request. */
export async function createCertificateRequest(options: CertificateRequestOptions): Promise<string> {
  const alternativeNames = alternativeNamesExtension(options);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: nameOf(options),
    keys: options.keys,
    signingAlgorithm: signatureAlgorithmOf(options.keys.privateKey),
    extensions: [
      ...keyUsageExtensions(options.usages ?? []),
      ...(alternativeNames === undefined ? [] : [alternativeNames]),
    ],
  });
  return `${request.toString('pem')}\n`;
}

function decodePem(pem: string) {
  try {
    return x509.PemConverter.decodeWithHeaders(pem)[0];
  } catch {
    return undefined;
  }
}

/** The library decodes some parts, such as extensions, only when they are looked at. */
function decodeRequest(der: ArrayBuffer): CertificateRequest {
  try {
    const raw = new x509.Pkcs10CertificateRequest(der);
    return {
      ...subjectOf(raw.subjectName),
      ...alternativeNamesOf(raw.extensions),
      usages: keyUsagesOf(raw.extensions),
      subjectName: raw.subjectName,
      publicKey: raw.publicKey,
      raw,
    };
  } catch (error) {
    if (error instanceof PkiError) throw error;
    throw new PkiError('certificate request is not valid PKCS #10', { cause: error });
  }
}
