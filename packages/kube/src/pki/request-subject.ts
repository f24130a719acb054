import { type DerElement, derContents, derElements, encodeDer, TAG } from './der.ts';
import { PkiError } from './pki-error.ts';

/** The parts of a subject that a request may have. */
const ATTRIBUTES = {
  CN: '0603550403',
  O: '060355040a',
  OU: '060355040b',
  C: '0603550406',
  ST: '0603550408',
  L: '0603550407',
};
export type SubjectAttributeType = keyof typeof ATTRIBUTES;
const TYPES = Object.keys(ATTRIBUTES) as SubjectAttributeType[];

const TAGS: ReadonlySet<number> = new Set([TAG.utf8String, TAG.printableString]);
/** X.680 41.4. Go also accepts `*` and `&`; other parsers don't. */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]+$/;
const CONTROL = /\p{Cc}/u;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface SubjectAttribute {
  readonly type: SubjectAttributeType;
  readonly value: string;
  /** UTF8String or PrintableString. */
  readonly tag: number;
}

/**
 * The attributes of a distinguished name, each in its own relative name. Throws a PkiError for a name that parsers
 * interpret differently.
 */
export function readSubject(name: DerElement): SubjectAttribute[] {
  const subject = derElements(name.content).map(readRelativeName);
  if (subject.filter(({ type }) => type === 'CN').length > 1) {
    throw new PkiError('the subject must have one common name (CN) only');
  }
  return subject;
}

export function encodeSubject(subject: readonly SubjectAttribute[]): Buffer {
  const names = subject.map(({ type, value, tag }) => {
    const attribute = encodeDer(TAG.sequence, Buffer.from(ATTRIBUTES[type], 'hex'), encodeDer(tag, Buffer.from(value)));
    return encodeDer(TAG.set, attribute);
  });
  return encodeDer(TAG.sequence, ...names);
}

function readRelativeName({ bytes }: DerElement): SubjectAttribute {
  const [attribute, ...others] = derContents(bytes, TAG.set);
  if (attribute === undefined || others.length > 0) {
    throw new PkiError('each relative name of the subject must have one attribute');
  }
  const [identifier, text] = derContents(attribute.bytes, TAG.sequence);
  const type = TYPES.find((one) => ATTRIBUTES[one] === identifier?.bytes.toString('hex'));
  if (type === undefined) throw new PkiError(`the subject may have ${TYPES.join(', ')} only`);
  if (text === undefined || !TAGS.has(text.tag)) {
    throw new PkiError(`the ${type} of the subject must be a UTF8String or a PrintableString`);
  }
  return { type, value: readText(type, text), tag: text.tag };
}

function readText(type: SubjectAttributeType, { tag, content }: DerElement): string {
  const value = decode(content);
  const hasExpectedEncoding =
    tag === TAG.printableString ? PRINTABLE.test(value ?? '') : value !== '' && !CONTROL.test(value ?? '');
  if (value !== undefined && hasExpectedEncoding) return value;
  throw new PkiError(`the ${type} of the subject is empty or has characters that its string type does not allow`);
}

function decode(content: Buffer): string | undefined {
  try {
    return utf8.decode(content);
  } catch {
    return undefined;
  }
}
