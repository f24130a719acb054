import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const HASH_BYTES = 32;
const TAG_BYTES = 16;
/** Never used twice with the same key, because each distinct content has its own key. */
const NONCE = Buffer.alloc(12);
/** The same cost as for backups: 128 MiB and about half a second per passphrase guess. */
const SCRYPT_COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 } as const;

/** Derives the master key. Reading requires the passphrase and the salt, which is not secret. */
export function masterKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase.normalize('NFKC'), salt, 32, SCRYPT_COST, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}

/** The salt of a store: all writers derive the same salt without coordination. */
export function saltOf(storeId: string): Buffer {
  return createHash('sha256').update(`fairway off-host ${storeId}`).digest().subarray(0, 16);
}

/**
 * Compresses and encrypts with AES-256-GCM under a key derived from the content itself (like SIV): the same content
 * yields the same bytes, so an interrupted upload can continue, and no key ever encrypts two different contents.
 * `context` identifies the content, and is required to open it.
 */
export async function seal(master: Buffer, context: string, content: Buffer): Promise<Buffer> {
  const packed = await promisify(gzip)(content, { level: 6 });
  const hash = createHmac('sha256', master).update(`${context}\n`).update(packed).digest();
  const cipher = createCipheriv('aes-256-gcm', keyOf(master, hash, context), NONCE);
  return Buffer.concat([hash, cipher.update(packed), cipher.final(), cipher.getAuthTag()]);
}

/** Rejects if the passphrase, the context or any byte differs, or if the content is longer than `maxBytes`. */
export async function unseal(master: Buffer, context: string, sealed: Buffer, maxBytes: number): Promise<Buffer> {
  if (sealed.length < HASH_BYTES + TAG_BYTES) throw new Error(`${context} is truncated`);
  const hash = sealed.subarray(0, HASH_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(master, hash, context), NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const packed = Buffer.concat([decipher.update(sealed.subarray(HASH_BYTES, -TAG_BYTES)), decipher.final()]);
    return await promisify(gunzip)(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new Error(`${context} cannot be decrypted: the passphrase is wrong, or the file was modified`, {
      cause: error,
    });
  }
}

function keyOf(master: Buffer, hash: Buffer, context: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, hash, context, 32));
}
