import type { Credentials } from '../auth/user.ts';

/**
 * The credentials of a request that come neither with its connection nor as `Authorization`, but by a browser's cookie: they replace the others. Undefined for a request without;
 * throws 401 for one that claims them and has none.
 */
export type ReadSession = (
  headers: Readonly<Record<string, string | undefined>>,
) => Promise<Pick<Credentials, 'bearerToken'> | undefined>;

export async function withSession(
  credentials: Credentials,
  headers: Readonly<Record<string, string | undefined>>,
  readSession: ReadSession | undefined,
): Promise<Credentials> {
  const session = await readSession?.(headers);
  return session === undefined ? credentials : { ...session, peer: credentials.peer };
}
