import type { Credentials } from '../auth/user.ts';

/**
 * Credentials from a browser's session cookie, which replace those of the connection and `Authorization`. Undefined without a cookie; throws 401 for
 * an invalid one.
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
