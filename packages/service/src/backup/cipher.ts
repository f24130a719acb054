import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import type { Preamble } from './header.ts';

export type Encryption = NonNullable<Preamble['encryption']>;

const TAG_BYTES = 16;
/** 128 MiB and about half a second per guess: OWASP's minimum for scrypt. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;

/** Fresh salt and nonce, so that a key encrypts only one file. */
export function newEncryption(cost: { readonly N: number; readonly r: number; readonly p: number } = COST): Encryption {
  return {
    cipher: 'aes-256-gcm',
    kdf: { name: 'scrypt', ...cost, salt: randomBytes(16).toString('base64') },
    nonce: randomBytes(12).toString('base64'),
  };
}

/** The encrypted payload, followed by its tag (16 bytes). Decryption requires the same `context`. */
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

/** The decrypted payload. Rejects if the passphrase, the context or any byte differs. */
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
  // Node's default limit is 32 MiB.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // Equivalent characters get the same encoding, however they were typed.
  scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
    error ? reject(error) : resolve(key),
  );
  return promise;
}
