import { deflateRawSync, inflateRawSync } from 'node:zlib';

const BINARY_TAG = 'b';
const TEXT_TAG = 't';

/** Compresses user data: cloud-init text shrinks to a third. */
export function packUserData(base64: string): string {
  const content = Buffer.from(base64, 'base64');
  const isCanonical = content.toString('base64') === base64;
  const packed = deflateRawSync(isCanonical ? content : Buffer.from(base64));
  return (isCanonical ? BINARY_TAG : TEXT_TAG) + packed.toString('base64');
}

/** The original base64 text. */
export function unpackUserData(packed: string): string {
  const content = inflateRawSync(Buffer.from(packed.slice(1), 'base64'));
  return packed.startsWith(BINARY_TAG) ? content.toString('base64') : content.toString();
}

export function isBase64(text: string): boolean {
  const withoutSpaces = text.replaceAll(/\s/g, '');
  return withoutSpaces.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(withoutSpaces);
}
