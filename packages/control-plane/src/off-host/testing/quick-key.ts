import { createHmac } from 'node:crypto';

/** Replaces scrypt, whose slowness protects nothing in tests. */
export function quickKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return Promise.resolve(createHmac('sha256', salt).update(passphrase).digest());
}
