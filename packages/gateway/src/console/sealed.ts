import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import { z } from 'zod';
import type { SessionKeys } from './session-keys.ts';

/** Browsers keep 4,096 bytes of a cookie, with its name and attributes. */
export const MAX_SEALED_CHARACTERS = 3_800;

/** A string for a cookie that only this installation can read and write. */
export function sealed(value: object, { active }: SessionKeys): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: active.id })
    .encrypt(active.key);
}

/**
 * Undefined if the string was not sealed here, its key has been deleted, it has a different type, or it has expired.
 */
export async function opened<T extends { readonly endsAtMs: number }>(
  schema: z.ZodType<T>,
  text: string,
  keys: SessionKeys,
  nowMs: number,
): Promise<T | undefined> {
  if (text.length > MAX_SEALED_CHARACTERS) return undefined;
  try {
    const { plaintext } = await compactDecrypt(
      text,
      ({ kid }) => {
        const found = [keys.active, ...keys.previousKeys].find(({ id }) => id === kid);
        if (found === undefined) throw new errors.JWEDecryptionFailed('not sealed with any of these keys');
        return found.key;
      },
      { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
    );
    const value = schema.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    return nowMs < value.endsAtMs ? value : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
