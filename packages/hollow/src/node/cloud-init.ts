import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { z } from 'zod';

/** Thrown for user data from which no node can boot; the message is written to the server's console. */
export class UserDataError extends Error {
  override readonly name = 'UserDataError';
}

/** The part of a cloud-config that a node needs. */
export interface CloudConfig {
  readonly hostname: string | undefined;
  /** Content of `write_files` by path; later entries win, as they do in cloud-init. */
  readonly files: ReadonlyMap<string, string>;
}

const WriteFile = z.looseObject({
  path: z.string(),
  content: z.union([z.string(), z.number()]).default(''),
  encoding: z.string().default('text/plain'),
  append: z.boolean().default(false),
});

const CloudConfigDocument = z.looseObject({
  hostname: z.string().optional(),
  fqdn: z.string().optional(),
  write_files: z.array(WriteFile).nullish(),
});

const GZIP_MAGIC = 0x8b1f;
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/** Decodes user data from the metadata service or from Nova's API: gzip and base64 are detected. */
export function decodeUserData(userData: string | Uint8Array): string {
  const bytes = typeof userData === 'string' ? bytesOf(userData) : Buffer.from(userData);
  if (!isGzip(bytes)) return bytes.toString('utf8');
  return gunzip(bytes, 'user data').toString('utf8');
}

/** Parses a `#cloud-config`. Throws a UserDataError. */
export function parseCloudConfig(text: string): CloudConfig {
  const [head = ''] = text.split('\n', 1);
  if (head.trim() !== '#cloud-config') {
    throw new UserDataError(`user data is not a cloud-config: it begins with ${JSON.stringify(head.slice(0, 40))}`);
  }
  const document = CloudConfigDocument.safeParse(loadYaml(text) ?? {});
  if (!document.success) throw new UserDataError(`cloud-config: ${z.prettifyError(document.error)}`);
  const { hostname, fqdn, write_files: writeFiles } = document.data;
  const files = new Map<string, string>();
  for (const { path, content, encoding, append } of writeFiles ?? []) {
    const decoded = decodeContent(String(content), encoding, path);
    files.set(path, append ? (files.get(path) ?? '') + decoded : decoded);
  }
  return { hostname: hostname ?? fqdn?.split('.')[0], files };
}

function loadYaml(text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    throw new UserDataError(`cloud-config is not valid YAML: ${(error as Error).message}`, { cause: error });
  }
}

function bytesOf(text: string): Buffer {
  const isBase64 = !text.startsWith('#') && /^[A-Za-z0-9+/\s]+={0,2}$/.test(text.trimEnd());
  return Buffer.from(text, isBase64 ? 'base64' : 'utf8');
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 2 && bytes.readUInt16LE(0) === GZIP_MAGIC;
}

function gunzip(bytes: Buffer, what: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    throw new UserDataError(`${what} cannot be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

/** The encodings of cloud-init's cc_write_files. */
function decodeContent(content: string, encoding: string, path: string): string {
  switch (encoding.toLowerCase()) {
    case '':
    case 'text/plain':
      return content;
    case 'b64':
    case 'base64':
      return Buffer.from(content, 'base64').toString('utf8');
    case 'gz':
    case 'gzip':
      return gunzip(Buffer.from(content, 'binary'), path).toString('utf8');
    case 'gz+b64':
    case 'gz+base64':
    case 'gzip+b64':
    case 'gzip+base64':
      return gunzip(Buffer.from(content, 'base64'), path).toString('utf8');
    default:
      throw new UserDataError(`write_files: ${path} has the unknown encoding ${JSON.stringify(encoding)}`);
  }
}
