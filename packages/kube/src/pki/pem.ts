import { PkiError } from './pki-error.ts';

/** A block of PEM text (RFC 7468). */
export interface PemBlock {
  /** The label after BEGIN: `CERTIFICATE`. */
  readonly type: string;
  readonly der: Buffer;
}

/** The largest CA bundle in use is 250 KB. */
const MAX_CHARS = 1024 * 1024;
const LINE_CHARS = 64;
const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * The blocks in a text, in order, in one pass over its lines. Text between blocks is skipped. Blocks with headers,
 * without an END line or with invalid base64 are skipped too. Throws a PkiError for more than 1 MiB of text.
 */
export function pemBlocks(text: string): PemBlock[] {
  if (text.length > MAX_CHARS) {
    throw new PkiError(`PEM text has ${text.length} characters, the limit is ${MAX_CHARS}`);
  }
  const blocks: PemBlock[] = [];
  let open: { readonly type: string; readonly base64: string[] } | undefined;
  for (const line of text.split('\n').map((one) => one.trimEnd())) {
    const beginLabel = labelOf(line, BEGIN);
    if (beginLabel !== undefined) open = { type: beginLabel, base64: [] };
    else if (line.startsWith(END)) {
      const der = open?.type === labelOf(line, END) ? decodeBase64(open?.base64.join('') ?? '') : undefined;
      if (open && der) blocks.push({ type: open.type, der });
      open = undefined;
    } else open?.base64.push(line.trimStart());
  }
  return blocks;
}

/** PEM with lines of 64 characters and a final newline, as Go and OpenSSL write it. */
export function pemOf({ type, der }: { readonly type: string; readonly der: Uint8Array }): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64');
  const lines: string[] = [];
  for (let start = 0; start < base64.length; start += LINE_CHARS) lines.push(base64.slice(start, start + LINE_CHARS));
  return `${[`${BEGIN}${type}${DASHES}`, ...lines, `${END}${type}${DASHES}`].join('\n')}\n`;
}

/**
 * The DER of a text that consists of exactly one block of this type, for input that another program parses too, because
 * PEM parsers differ in what they skip. Lines may end with CR LF, and the last newline may be missing. Throws a
 * PkiError that reports the unexpected content.
 */
export function onlyPemBlock(text: string, type: string): Buffer {
  const unixText = text.replaceAll('\r\n', '\n');
  const [block, ...others] = pemBlocks(unixText);
  if (block === undefined ? !unixText.includes(`${BEGIN}${type}${DASHES}`) : block.type !== type) {
    throw new PkiError(`PEM block type must be ${type}`);
  }
  const begin = unixText.indexOf(BEGIN);
  if (begin > 0) throw new PkiError(`nothing may stand before ${BEGIN}${type}${DASHES}`);
  if (others.length > 0 || unixText.includes(BEGIN, 1)) throw new PkiError('there must be one PEM block only');
  if (unixText.includes(':')) throw new PkiError('the PEM block must have no headers');
  if (block === undefined) throw new PkiError(`the PEM block must be base64 and end with ${END}${type}${DASHES}`);
  const canonical = pemOf(block);
  if (unixText === canonical || `${unixText}\n` === canonical) return block.der;
  const hasTrailingContent = unixText.startsWith(canonical.trimEnd());
  throw new PkiError(
    hasTrailingContent
      ? `nothing but a newline may follow ${END}${type}${DASHES}`
      : `the PEM block must be written as "openssl" and Go do: lines of ${LINE_CHARS} characters of base64 without spaces`,
  );
}

function labelOf(line: string, start: string): string | undefined {
  const isLabel = line.startsWith(start) && line.endsWith(DASHES) && line.length >= start.length + DASHES.length;
  return isLabel ? line.slice(start.length, -DASHES.length) : undefined;
}

/** Undefined for non-canonical base64, because Node's decoder skips invalid characters. */
function decodeBase64(text: string): Buffer | undefined {
  const der = Buffer.from(text, 'base64');
  return der.length > 0 && der.toString('base64') === text ? der : undefined;
}
