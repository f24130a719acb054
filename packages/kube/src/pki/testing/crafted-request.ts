import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeDer, TAG } from '../der.ts';
import { pemOf } from '../pem.ts';

const OIDS = {
  CN: '0603550403',
  O: '060355040a',
  email: '06092a864886f70d010901',
  extensionRequest: '06092a864886f70d01090e',
  challengePassword: '06092a864886f70d010907',
  subjectAltName: '0603551d11',
  nameConstraints: '0603551d1e',
  basicConstraints: '0603551d13',
} as const;
type Oid = keyof typeof OIDS;

/** Additional string types, which not every parser supports. */
export const STRINGS = { utf8: 0x0c, printable: 0x13, t61: 0x14, ia5: 0x16, universal: 0x1c, bmp: 0x1e } as const;

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const sequence = (...parts: readonly Buffer[]) => encodeDer(TAG.sequence, ...parts);
const set = (...parts: readonly Buffer[]) => encodeDer(TAG.set, ...parts);
const oid = (name: Oid) => Buffer.from(OIDS[name], 'hex');

/** An attribute of a subject in its own relative name; text is encoded according to its string type. */
export function part(type: Oid, text: string | Buffer, tag: number = STRINGS.utf8): Buffer {
  return set(attribute(type, text, tag));
}

/** A relative name with several attributes. */
export function multiValueRdn(...parts: readonly [Oid, string][]): Buffer {
  return set(...parts.map(([type, text]) => attribute(type, text, STRINGS.utf8)));
}

function attribute(type: Oid, text: string | Buffer, tag: number): Buffer {
  return sequence(oid(type), encodeDer(tag, Buffer.from(text as string)));
}

export const dns = (name: string | Buffer) => encodeDer(0x82, Buffer.from(name as string));
export const ip = (...bytes: readonly number[]) => encodeDer(0x87, Buffer.from(bytes));
export const email = (address: string) => encodeDer(0x81, Buffer.from(address));
export const uri = (text: string) => encodeDer(0x86, Buffer.from(text));
export const otherName = () =>
  encodeDer(0xa0, oid('email'), encodeDer(0xa0, encodeDer(STRINGS.utf8, Buffer.from('x'))));

export function extension(type: Oid, value: Buffer, ...bytesBetween: readonly Buffer[]): Buffer {
  return sequence(oid(type), ...bytesBetween, encodeDer(TAG.octetString, value));
}

/** A subjectAltName extension. */
export const names = (...all: readonly Buffer[]) => extension('subjectAltName', sequence(...all));

/** An extensionRequest attribute. */
export const extensionRequest = (...extensions: readonly Buffer[]) =>
  sequence(oid('extensionRequest'), set(sequence(...extensions)));

/** An extensionRequest attribute with two values. */
export const duplicateExtensionRequest = (first: readonly Buffer[], second: readonly Buffer[]) =>
  sequence(oid('extensionRequest'), set(sequence(...first), sequence(...second)));

export const challenge = (text: string) =>
  sequence(oid('challengePassword'), set(encodeDer(STRINGS.utf8, Buffer.from(text))));

export interface CraftedRequest {
  /** Relative names, from `part` and `multiValueRdn`. */
  readonly subject: readonly Buffer[];
  readonly attributes?: readonly Buffer[];
  readonly version?: Buffer;
  /** Content after the attributes. */
  readonly trailing?: Buffer;
  readonly spki?: Buffer;
}

/** DER of a request with arbitrary parts, correctly signed with a P-256 key. */
export function craftDer({ subject, attributes = [], version, trailing, spki }: CraftedRequest): Buffer {
  const info = sequence(
    version ?? Buffer.from('020100', 'hex'),
    sequence(...subject),
    spki ?? publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(0xa0, ...attributes),
    trailing ?? Buffer.alloc(0),
  );
  return signedRequest(info, privateKey);
}

/** Like `craftDer`, in PEM. */
export function craftPem(request: CraftedRequest): string {
  return requestPem(craftDer(request));
}

export function requestPem(der: Buffer): string {
  return pemOf({ type: 'CERTIFICATE REQUEST', der });
}

/** DER of a request with an arbitrary CertificationRequestInfo. */
export function signedRequest(info: Buffer, key: KeyObject = privateKey): Buffer {
  const algorithm = Buffer.from('300a06082a8648ce3d040302', 'hex');
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', info, key)]);
  return sequence(info, algorithm, encodeDer(TAG.bitString, signature));
}
