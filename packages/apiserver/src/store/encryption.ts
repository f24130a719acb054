import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { StoreError } from './store.ts';

/** One AES-256 key; its id is part of every envelope that it encrypted. */
export interface EncryptionKey {
  /** Letters, digits and `-`. */
  readonly id: string;
  readonly key: Buffer;
}

/** Encoding of a store's values on disk. */
export interface ValueCodec {
  /** `path` is the location of the value: a value that was moved elsewhere cannot be decrypted. */
  seal(bucket: string, path: string, text: string): string;
  /** Throws a StoreError if the value is damaged or its key is missing. */
  open(bucket: string, path: string, stored: string): string;
  /** Whether the value should be re-encrypted: it is plain, or encrypted with a retired key. */
  isOutdated(bucket: string, stored: string): boolean;
}

const PREFIX = 'fairway:enc:v1:';
const ALGORITHM = 'aes-256-gcm';
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Stores the values of some buckets in envelopes `fairway:enc:v1:KEY-ID:BASE64`: AES-256-GCM over the value, with its
 * location as associated data. Plain values (JSON, which never has this prefix) can still be read. The first key
 * encrypts. The other keys only decrypt, until all values encrypted with them have been re-encrypted.
 */
export function encryptBuckets(buckets: readonly string[], keys: readonly EncryptionKey[]): ValueCodec {
  const [current] = keys;
  if (current === undefined) throw new StoreError('there is no key to encrypt with');
  const known = new Map(keys.map((key) => [key.id, key]));
  const encrypted = new Set(buckets);
  return {
    seal(bucket, path, text) {
      return encrypted.has(bucket) ? close(current, path, text) : text;
    },
    open(_, path, stored) {
      const envelope = parseEnvelope(stored);
      if (envelope === undefined) return stored;
      const key = known.get(envelope.keyId);
      if (key !== undefined) return open(key, path, envelope.sealed);
      throw new StoreError(
        `${path} is encrypted with key ${envelope.keyId}, which is not among ${[...known.keys()].join(', ')}; restore the key file`,
      );
    },
    isOutdated(bucket, stored) {
      return encrypted.has(bucket) && parseEnvelope(stored)?.keyId !== current.id;
    },
  };
}

function close({ id, key }: EncryptionKey, path: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(path));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${PREFIX}${id}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
}

function open({ id, key }: EncryptionKey, path: string, sealed: Buffer): string {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(path)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new StoreError(
      `${path} cannot be decrypted with key ${id}: it was damaged, moved, or encrypted with another key`,
      {
        cause: error,
      },
    );
  }
}

function parseEnvelope(stored: string): { readonly keyId: string; readonly sealed: Buffer } | undefined {
  if (!stored.startsWith(PREFIX)) return undefined;
  const [keyId = '', body = ''] = stored.slice(PREFIX.length).split(':');
  return { keyId, sealed: Buffer.from(body, 'base64') };
}

export function createEncryptionKey(id: string): EncryptionKey {
  return { id, key: randomBytes(KEY_BYTES) };
}

/** One key per line, `ID BASE64`; the first one encrypts. */
export function renderEncryptionKeys(keys: readonly EncryptionKey[]): string {
  return keys.map(({ id, key }) => `${id} ${key.toString('base64')}\n`).join('');
}

/** Throws a StoreError that names the invalid line. */
export function parseEncryptionKeys(text: string): readonly EncryptionKey[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => {
      const [id = '', encoded = ''] = line.split(/\s+/);
      const key = Buffer.from(encoded, 'base64');
      if (/^[A-Za-z0-9-]+$/.test(id) && key.length === KEY_BYTES) return { id, key };
      throw new StoreError(`line ${index + 1} is no encryption key: an id and ${KEY_BYTES} bytes in base64`);
    });
}
