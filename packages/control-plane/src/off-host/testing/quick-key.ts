import { createHmac } from 'node:crypto';

/** Replaces scrypt, which would only slow the tests down. */
export function quickKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return Promise.resolve(createHmac('sha256', salt).update(passphrase).digest());
}
