import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import type { Preamble } from './header.ts';

export type Encryption = NonNullable<Preamble['encryption']>;

const TAG_BYTES = 16;
/** 128 MiB and about half a second a guess: what OWASP asks of scrypt at the least. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;

/** Fresh salt and nonce: a key seals one file. */
export function newEncryption(cost: { readonly N: number; readonly r: number; readonly p: number } = COST): Encryption {
  return {
    cipher: 'aes-256-gcm',
    kdf: { name: 'scrypt', ...cost, salt: randomBytes(16).toString('base64') },
    nonce: randomBytes(12).toString('base64'),
  };
}

/** The payload encrypted, its tag (16 bytes) last. Whoever opens it must have the same `context`. */
export async function seal(
  payload: Buffer,
  encryption: Encryption,
  passphrase: string,
  context: string,
): Promise<Buffer> {
  const cipher = createCipheriv(encryption.cipher, await keyOf(encryption, passphrase), nonceOf(encryption));
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
}

/** What was sealed. Rejects when passphrase, context or any byte is another. */
export async function unseal(
  sealed: Buffer,
  encryption: Encryption,
  passphrase: string,
  context: string,
): Promise<Buffer> {
  const decipher = createDecipheriv(encryption.cipher, await keyOf(encryption, passphrase), nonceOf(encryption), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
}

function nonceOf({ nonce }: Encryption): Buffer {
  return Buffer.from(nonce, 'base64');
}

function keyOf({ kdf: { N, r, p, salt } }: Encryption, passphrase: string): Promise<Buffer> {
  // Node refuses more than 32 MiB unless it is told.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // The same letters, however a keyboard composes them.
  scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
    error ? reject(error) : resolve(key),
  );
  return promise;
}
