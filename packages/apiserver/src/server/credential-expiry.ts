import type { ServerResponse } from 'node:http';
import { follow } from '../auth/union-authenticator.ts';
import type { Authenticator, Credentials } from '../auth/user.ts';
import { onExchangeEnd } from './exchange-end.ts';

/**
 * Aborts a response when the request's credentials become invalid. A watch client reconnects, and then gets the error.
 */
export function endWithCredentials(
  response: ServerResponse,
  authenticators: readonly Authenticator[],
  credentials: Credentials,
): void {
  const stop = follow(authenticators, credentials, () => response.destroy());
  if (stop !== undefined) onExchangeEnd(response, stop);
}
