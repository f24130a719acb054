import { PkiError } from './pki-error.ts';

/** Tags of DER (X.690) that occur in certificate requests. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A DER element. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length. */
  readonly bytes: Buffer;
}

/** The elements of `bytes`, one level deep, so nesting costs nothing. Throws a PkiError if `bytes` is not DER. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let start = 0; start < bytes.length; ) {
    const element = elementAt(bytes, start);
    elements.push(element);
    start += element.bytes.length;
  }
  return elements;
}

/** The elements inside the only element of `bytes`, which must have this tag. */
export function derContents(bytes: Buffer, tag: number): DerElement[] {
  const [element, ...others] = derElements(bytes);
  if (element?.tag !== tag || others.length > 0) throw derError(`an element with the tag ${tag} and nothing else`);
  return derElements(element.content);
}

export function encodeDer(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([headerOf(tag, content.length), content]);
}

function elementAt(bytes: Buffer, start: number): DerElement {
  const [tag = 0, first = 0] = bytes.subarray(start, start + 2);
  const size = first < 0x80 ? 0 : first & 0x7f;
  const contentStart = start + 2 + size;
  if (size > 4 || contentStart > bytes.length) throw derError('a length of at most 4 bytes');
  const length = size === 0 ? first & 0x7f : bytes.readUIntBE(start + 2, size);
  const end = contentStart + length;
  if (end > bytes.length) throw derError(`${length} bytes of content, not ${bytes.length - contentStart}`);
  const element = { tag, content: bytes.subarray(contentStart, end), bytes: bytes.subarray(start, end) };
  const header = bytes.subarray(start, contentStart);
  // Go, OpenSSL and others differ in which longer forms they accept.
  if ((tag & 0x1f) === 0x1f || !header.equals(headerOf(tag, length))) throw derError('the shortest header');
  return element;
}

function headerOf(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.from([tag, length]);
  const size = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
  const header = Buffer.alloc(2 + size, 0x80 | size);
  header[0] = tag;
  header.writeUIntBE(length, 2, size);
  return header;
}

function derError(expected: string): PkiError {
  return new PkiError(`it is not DER: expected ${expected}`);
}
