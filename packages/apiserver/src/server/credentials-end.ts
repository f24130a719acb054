import type { ServerResponse } from 'node:http';
import { follow } from '../auth/union-authenticator.ts';
import type { Authenticator, Credentials } from '../auth/user.ts';
import { atEnd } from './exchange-end.ts';

/** Breaks a response off when the credentials that it was asked for by end. A client of a watch comes back, and is told then. */
export function endWithCredentials(
  response: ServerResponse,
  authenticators: readonly Authenticator[],
  credentials: Credentials,
): void {
  const stop = follow(authenticators, credentials, () => response.destroy());
  if (stop !== undefined) atEnd(response, stop);
}
