import { type DerElement, derContents, encodeDer, TAG } from './der.ts';
import { PkiError } from './pki-error.ts';
import { canonicalIp } from './subject.ts';

/** The extensions that a request may contain. */
const EXTENSIONS = {
  'subject alternative name': '0603551d11',
  'key usage': '0603551d0f',
  'extended key usage': '0603551d25',
  'basic constraints': '0603551d13',
};
export type RequestExtensionType = keyof typeof EXTENSIONS;
const TYPES = Object.keys(EXTENSIONS) as RequestExtensionType[];

const CRITICAL = Buffer.from('0101ff', 'hex');
/** `CA:FALSE`, which DER omits because it is the default. */
const NOT_A_CA = encodeDer(TAG.sequence);

/** The context tags of GeneralName (RFC 5280 4.2.1.6). */
const NAME_TAGS = { email: 0x81, dns: 0x82, url: 0x86, ip: 0x87 };
export type AlternativeNameType = keyof typeof NAME_TAGS;
const NAME_TYPES = Object.keys(NAME_TAGS) as AlternativeNameType[];

const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
/** URIs that every parser reads the same way: without port, user or escapes. */
const URI = /^[a-z][a-z0-9+.-]{0,30}:\/\/[a-z0-9.-]{1,253}(?:\/[A-Za-z0-9._~-]*)*$/;
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** ::ffff:0:0/96, which Go shortens to an IPv4 address. */
const IPV4_MAPPED_PREFIX = Buffer.from('00000000000000000000ffff', 'hex');

export interface AlternativeName {
  readonly type: AlternativeNameType;
  /** An address in its canonical form. */
  readonly value: string;
  readonly content: Buffer;
}

export interface RequestExtension {
  readonly type: RequestExtensionType;
  readonly isCritical: boolean;
  /** DER inside the OCTET STRING. */
  readonly value: Buffer;
}

/** The extensions inside an extensionRequest. Throws a PkiError for unknown and duplicate extensions. */
export function readExtensions(list: Buffer): RequestExtension[] {
  const extensions = derContents(list, TAG.sequence).map(readExtension);
  for (const [index, { type }] of extensions.entries()) {
    if (extensions.findIndex((one) => one.type === type) < index) {
      throw new PkiError(`there must be one extension for the ${type} only`);
    }
  }
  return extensions;
}

export function encodeExtensions(extensions: readonly RequestExtension[]): Buffer {
  const encoded = extensions.map(({ type, isCritical, value }) =>
    encodeDer(
      TAG.sequence,
      Buffer.from(EXTENSIONS[type], 'hex'),
      ...(isCritical ? [CRITICAL] : []),
      encodeDer(TAG.octetString, value),
    ),
  );
  return encodeDer(TAG.sequence, ...encoded);
}

/** The names in a subjectAltName extension's value. */
export function readAlternativeNames(value: Buffer): AlternativeName[] {
  const names = derContents(value, TAG.sequence).map(readAlternativeName);
  if (names.length === 0) throw new PkiError('the subject alternative name is empty');
  return names;
}

export function encodeAlternativeNames(names: readonly AlternativeName[]): Buffer {
  return encodeDer(TAG.sequence, ...names.map(({ type, content }) => encodeDer(NAME_TAGS[type], content)));
}

function readExtension({ bytes }: DerElement): RequestExtension {
  const [identifier, ...rest] = derContents(bytes, TAG.sequence);
  const type = TYPES.find((one) => EXTENSIONS[one] === identifier?.bytes.toString('hex'));
  if (type === undefined) throw new PkiError(`a request may contain only the extensions ${TYPES.join(', ')}`);
  const value = rest.at(-1);
  if (value?.tag !== TAG.octetString) throw new PkiError(`the extension for the ${type} has no value`);
  if (type === 'basic constraints' && !value.content.equals(NOT_A_CA)) {
    throw new PkiError('the basic constraints must be CA:FALSE');
  }
  return { type, isCritical: rest.length > 1, value: value.content };
}

function readAlternativeName({ tag, content }: DerElement): AlternativeName {
  const type = NAME_TYPES.find((one) => NAME_TAGS[one] === tag);
  if (type === undefined) {
    throw new PkiError('subject alternative names may be DNS names, IP addresses, email addresses and URIs only');
  }
  const value = type === 'ip' ? addressOf(content) : content.toString('latin1');
  const isUnambiguous = type === 'url' ? isPlainUri(value ?? '') : PRINTABLE_ASCII.test(value ?? '');
  if (value === undefined || !isUnambiguous) {
    throw new PkiError(
      `a subject alternative name of the type ${type} is empty or is not in a form that every parser accepts`,
    );
  }
  return { type, value, content };
}

function isPlainUri(text: string): boolean {
  const host = text.split('/', 3)[2] ?? '';
  return URI.test(text) && host.split('.').every((label) => HOST_LABEL.test(label));
}

function addressOf(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16 || bytes.subarray(0, IPV4_MAPPED_PREFIX.length).equals(IPV4_MAPPED_PREFIX)) return undefined;
  return canonicalIp((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}
