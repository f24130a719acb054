import { type DerElement, derContents, derElements, encodeDer, TAG } from './der.ts';
import { type KeyPair, signatureAlgorithmOf } from './key-pair.ts';
import { keyUsageExtensions } from './key-usage.ts';
import { onlyPemBlock, pemBlocks, pemOf } from './pem.ts';
import { PkiError } from './pki-error.ts';
import {
  type AlternativeNameType,
  encodeAlternativeNames,
  encodeExtensions,
  type RequestExtension,
  readAlternativeNames,
  readExtensions,
} from './request-extensions.ts';
import { checkRequestKey, isSignedBy } from './request-key.ts';
import { encodeSubject, readSubject, type SubjectAttribute } from './request-subject.ts';
import { readExtendedKeyUsages, readKeyUsages } from './request-usages.ts';
import { alternativeNamesExtension, nameOf, type Subject, type SubjectAlternativeNames } from './subject.ts';
import { x509 } from './x509-library.ts';

/** A parsed PKCS #10 request. Its signature is verified separately: `isRequestSignatureValid`. */
export interface CertificateRequest extends Subject, SubjectAlternativeNames {
  /** All parts of the subject, in order. */
  readonly subject: readonly SubjectAttribute[];
  /** Names of certificates.k8s.io KeyUsage that the request itself contains; signers use `spec.usages` instead. */
  readonly usages: readonly string[];
  readonly subjectName: InstanceType<typeof x509.Name>;
  readonly publicKey: InstanceType<typeof x509.PublicKey>;
  readonly parts: RequestParts;
}

/** The outer structure, on which every PKCS #10 parser must agree. */
interface RequestParts {
  /** CertificationRequestInfo, the signed part. */
  readonly info: Buffer;
  readonly elements: readonly DerElement[];
  /** DER of SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  /** DER of AlgorithmIdentifier. */
  readonly algorithm: Buffer;
  readonly signature: Buffer;
}

/** A request with a 16,384-bit key and a hundred names takes 10 KB. */
const MAX_PEM_CHARS = 64 * 1024;
const PEM_TYPE = 'CERTIFICATE REQUEST';
const VERSION = Buffer.from('020100', 'hex');
const EXTENSION_REQUEST = Buffer.from('06092a864886f70d01090e', 'hex');
/** [0] IMPLICIT SET OF Attribute. */
const ATTRIBUTES_TAG = 0xa0;

/**
 * Parses a request that every parser reads alike, because another program may sign it. Encoding the parsed content
 * again must give the same bytes, which excludes any hidden content. Throws a PkiError that reports the difference.
 */
export function parseCertificateRequest(pem: string): CertificateRequest {
  checkLength(pem);
  const parts = partsOf(onlyPemBlock(pem, PEM_TYPE));
  const [, name, , attributes] = parts.elements;
  if (name?.tag !== TAG.sequence || attributes?.tag !== ATTRIBUTES_TAG) throw invalid();
  const subject = readSubject(name);
  const extensions = readAttributes(attributes);
  const value = extensions?.find(({ type }) => type === 'subject alternative name')?.value;
  const names = value === undefined ? [] : readAlternativeNames(value);
  checkRequestKey(parts.spki);
  const usages = readUsages(extensions ?? []);

  const encodedNames = value === undefined ? undefined : encodeAlternativeNames(names);
  const encodedExtensions = extensions?.map((extension) =>
    extension.type === 'subject alternative name' && encodedNames ? { ...extension, value: encodedNames } : extension,
  );
  const encoded = encodeDer(
    TAG.sequence,
    VERSION,
    encodeSubject(subject),
    parts.spki,
    encodeAttributes(encodedExtensions),
  );
  if (!encoded.equals(parts.info)) throw new PkiError('the certificate request is not in its canonical form (DER)');

  const valuesOf = (type: SubjectAttribute['type']) =>
    subject.filter((one) => one.type === type).map((one) => one.value);
  const namesOf = (type: AlternativeNameType) => names.filter((one) => one.type === type).map((one) => one.value);
  return {
    commonName: valuesOf('CN')[0] ?? '',
    organizations: valuesOf('O'),
    dnsNames: namesOf('dns'),
    ipAddresses: namesOf('ip'),
    emailAddresses: namesOf('email'),
    uris: namesOf('url'),
    subject,
    usages,
    subjectName: new x509.Name(subject.map((one) => ({ [one.type]: [{ utf8String: one.value }] }))),
    publicKey: new x509.PublicKey(parts.spki),
    parts,
  };
}

/** Whether the request was signed with the key for which it requests a certificate. */
export function isRequestSignatureValid({ parts }: Pick<CertificateRequest, 'parts'>): boolean {
  return isSignedBy(parts.spki, parts.info, parts.algorithm, parts.signature);
}

/**
 * Whether kube-apiserver accepts the text as a request: its first PEM block is a request that is signed with the
 * request's own key. Throws a PkiError if it can't be parsed. The contents are not checked here, because approvers and
 * signers use `parseCertificateRequest`.
 */
export function isSignedRequest(pem: string): boolean {
  checkLength(pem);
  const [block] = pemBlocks(pem);
  if (block?.type !== PEM_TYPE) throw new PkiError(`PEM block type must be ${PEM_TYPE}`);
  return isRequestSignatureValid({ parts: partsOf(block.der) });
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
  return pemOf({ type: PEM_TYPE, der: new Uint8Array(request.rawData) });
}

function checkLength(pem: string): void {
  if (pem.length <= MAX_PEM_CHARS) return;
  throw new PkiError(`certificate request has ${pem.length} characters, the limit is ${MAX_PEM_CHARS}`);
}

function partsOf(der: Buffer): RequestParts {
  try {
    const [info, algorithm, signature, ...rest] = derContents(der, TAG.sequence);
    const elements = derElements(info?.content ?? Buffer.alloc(0));
    const spki = elements[2];
    if (!info || !algorithm || !signature || !spki || rest.length > 0) throw invalid();
    if (signature.tag !== TAG.bitString || signature.content[0] !== 0) throw invalid();
    return {
      info: info.bytes,
      elements,
      spki: spki.bytes,
      algorithm: algorithm.bytes,
      signature: signature.content.subarray(1),
    };
  } catch (error) {
    if (error instanceof PkiError) throw invalid(error);
    throw error;
  }
}

/** The requested extensions; undefined without an extensionRequest, which is the only attribute allowed. */
function readAttributes(attributes: DerElement): RequestExtension[] | undefined {
  const [attribute, ...others] = derElements(attributes.content);
  if (attribute === undefined) return undefined;
  const [type, values] = derContents(attribute.bytes, TAG.sequence);
  if (others.length > 0 || type?.bytes.equals(EXTENSION_REQUEST) !== true || values === undefined) {
    throw new PkiError('a certificate request may have one attribute, extensionRequest, and only once');
  }
  const [list, ...additional] = derContents(values.bytes, TAG.set);
  if (list === undefined || additional.length > 0) throw new PkiError('the extensionRequest must have one value');
  return readExtensions(list.bytes);
}

function encodeAttributes(extensions: readonly RequestExtension[] | undefined): Buffer {
  if (extensions === undefined) return encodeDer(ATTRIBUTES_TAG);
  const values = encodeDer(TAG.set, encodeExtensions(extensions));
  return encodeDer(ATTRIBUTES_TAG, encodeDer(TAG.sequence, EXTENSION_REQUEST, values));
}

function readUsages(extensions: readonly RequestExtension[]): string[] {
  return extensions.flatMap(({ type, value }) => {
    if (type === 'key usage') return readKeyUsages(value);
    return type === 'extended key usage' ? readExtendedKeyUsages(value) : [];
  });
}

function invalid(cause?: PkiError): PkiError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new PkiError(`certificate request is not valid PKCS #10${why}`, { cause });
}
