const ZERO_QUALITY = /^\s*q\s*=\s*0(\.0*)?\s*$/i;

/**
 * The first of the offered encodings that `Accept-Encoding` lists and does not exclude (RFC 9110 12.5.3); undefined
 * means identity.
 */
export function acceptedEncoding<T extends string>(accepted: string | undefined, offered: readonly T[]): T | undefined {
  const names = (accepted ?? '')
    .split(',')
    .map((part) => part.trim().split(';'))
    .filter(([, quality]) => !ZERO_QUALITY.test(quality ?? ''))
    .map(([name = '']) => name.trim().toLowerCase());
  return offered.find((encoding) => names.includes(encoding));
}
