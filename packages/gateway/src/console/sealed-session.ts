import { ApiError } from '@fairway/kube/object/api-error';
import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import { z } from 'zod';
import type { SessionKeys } from './session-keys.ts';

/** What a browser's cookie holds, for this server alone to read. */
export const ConsoleSession = z.object({
  kind: z.enum(['keystone', 'token']),
  /** The bearer token. */
  token: z.string(),
  /** Unix time in ms after which the cookie is worth nothing: not later than the token. */
  endsAtMs: z.number(),
  /** For people. */
  user: z.string(),
  project: z.object({ id: z.string(), name: z.string(), domain: z.string().optional() }).optional(),
});
export type ConsoleSession = z.infer<typeof ConsoleSession>;

/** Browsers keep 4,096 bytes of a cookie, with its name and attributes. */
const MAX_CHARACTERS = 3_800;

/** Throws 413 for a token that is too long for a cookie. */
export async function seal(session: ConsoleSession, { active }: SessionKeys): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(session));
  const sealed = await new CompactEncrypt(text)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: active.id })
    .encrypt(active.key);
  if (sealed.length > MAX_CHARACTERS) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `this token has ${session.token.length} characters, which no browser keeps in a cookie: use one with fewer claims or groups`,
    );
  }
  return sealed;
}

/** Undefined for what was not sealed here, was sealed by a key that is gone, or is over. */
export async function unseal(sealed: string, keys: SessionKeys, nowMs: number): Promise<ConsoleSession | undefined> {
  if (sealed.length > MAX_CHARACTERS) return undefined;
  try {
    const { plaintext } = await compactDecrypt(
      sealed,
      ({ kid }) => {
        const found = [keys.active, ...keys.former].find(({ id }) => id === kid);
        if (found === undefined) throw new errors.JWEDecryptionFailed('sealed by no key of these');
        return found.key;
      },
      { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
    );
    const session = ConsoleSession.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    return nowMs < session.endsAtMs ? session : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
