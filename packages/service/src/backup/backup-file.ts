import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { usageError } from '../command-error.ts';
import { type Archive, readArchive, writeArchive } from './archive.ts';
import { newEncryption, seal, unseal } from './cipher.ts';
import {
  anyHeaderSchema,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  headerSchema,
  type Preamble,
  preambleSchema,
} from './header.ts';

const NEWLINE = 0x0a;
/** Longer than any header: a file with no line break within this length is not a backup. */
const MAX_HEADER_BYTES = 4096;

export interface BackupOrigin {
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Fairway version that wrote the file. */
  readonly fairway: string;
}

/**
 * Serializes a backup: one line of JSON that describes the format, then the payload. Without a passphrase the payload is unencrypted
 * JSON lines.
 */
export async function encodeBackup(
  archive: Archive,
  origin: BackupOrigin,
  passphrase: string | undefined,
  encryption = passphrase === undefined ? null : newEncryption(),
): Promise<Buffer> {
  const compression = encryption === null ? 'none' : 'gzip';
  const preamble: Preamble = { format: FORMAT, version: FORMAT_VERSION, ...origin, compression, encryption };
  const lines = writeArchive(archive);
  const compressed = compression === 'gzip' ? await promisify(gzip)(lines) : lines;
  const payload =
    encryption === null ? compressed : await seal(compressed, encryption, passphrase ?? '', contextOf(preamble));
  const header: Header = { ...preamble, payload: { bytes: payload.length, sha256: sha256(payload) } };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload]);
}

/** A backup whose checksum is correct; its payload may still be encrypted. */
export interface ParsedBackup {
  readonly header: Header;
  readonly payload: Buffer;
}

/** Throws a CommandError that describes the problem: not a backup, a newer format, truncated or corrupt. */
export function parseBackup(name: string, bytes: Buffer): ParsedBackup {
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  const header = parseHeader(name, bytes.subarray(0, Math.max(end, 0)).toString('utf8'));
  const payload = bytes.subarray(end + 1);
  const { bytes: expected, sha256: digest } = header.payload;
  if (payload.length < expected) {
    throw usageError(
      `${name} is truncated: it has ${payload.length} of ${expected} bytes`,
      'copy it again from the original',
    );
  }
  if (payload.length > expected || sha256(payload) !== digest) {
    throw usageError(`${name} is damaged: its checksum does not match`, 'copy it again from the original');
  }
  return { header, payload };
}

/** Decrypts a parsed backup. Throws a CommandError for a wrong passphrase. */
export async function openBackup(
  name: string,
  { header, payload }: ParsedBackup,
  passphrase: string | undefined,
): Promise<Archive> {
  const { encryption, compression, payload: _payload, ...rest } = header;
  let compressed = payload;
  if (encryption !== null) {
    const context = contextOf({ ...rest, encryption, compression });
    // The checksum is correct, so the file is not corrupt.
    compressed = await unseal(payload, encryption, passphrase ?? '', context).catch((cause: unknown) => {
      throw usageError(`${name}: the passphrase is wrong, or the file was modified`, undefined, cause);
    });
  }
  try {
    return readArchive(compression === 'gzip' ? await promisify(gunzip)(compressed) : compressed);
  } catch (error) {
    throw usageError(
      `${name} cannot be read: ${(error as Error).message}`,
      'specify a file written by "fairway backup"',
      error,
    );
  }
}

function parseHeader(name: string, line: string): Header {
  const value = parseJson(line);
  const genericHeader = anyHeaderSchema.safeParse(value);
  if (!genericHeader.success) {
    throw usageError(`${name} is not a Fairway backup: it does not start with {"format":"${FORMAT}",…}`);
  }
  const { version, fairway = 'a later release' } = genericHeader.data;
  if (version > FORMAT_VERSION) {
    throw usageError(
      `${name} has format ${version}; this version of Fairway reads format ${FORMAT_VERSION}`,
      `restore it with Fairway ${fairway}, which wrote it`,
    );
  }
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) throw usageError(`${name} has an invalid header: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Re-serialized from the parsed header, so that the order of fields is fixed. */
function contextOf(preamble: Preamble): string {
  return JSON.stringify(preambleSchema.parse(preamble));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
