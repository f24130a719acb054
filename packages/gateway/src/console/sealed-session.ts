import { ApiError } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { MAX_SEALED_CHARACTERS, opened, sealed } from './sealed.ts';
import type { SessionKeys } from './session-keys.ts';

/** Contents of a browser's cookie, readable only by this server. */
export const ConsoleSession = z.object({
  kind: z.enum(['keystone', 'token']),
  /** The bearer token. */
  token: z.string(),
  /** Unix time in ms at which the cookie expires: no later than the token. */
  endsAtMs: z.number(),
  /** For display. */
  user: z.string(),
  project: z.object({ id: z.string(), name: z.string(), domain: z.string().optional() }).optional(),
});
export type ConsoleSession = z.infer<typeof ConsoleSession>;

/** Throws 413 for a token that is too long for a cookie. */
export async function seal(session: ConsoleSession, keys: SessionKeys): Promise<string> {
  const text = await sealed(session, keys);
  if (text.length > MAX_SEALED_CHARACTERS) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `this token has ${session.token.length} characters, too many for a cookie: use one with fewer claims or groups`,
    );
  }
  return text;
}

/** Undefined if the value was not sealed here, its key has been deleted, or it has expired. */
export function unseal(text: string, keys: SessionKeys, nowMs: number): Promise<ConsoleSession | undefined> {
  return opened(ConsoleSession, text, keys, nowMs);
}
