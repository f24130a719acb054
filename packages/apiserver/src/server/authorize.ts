import { deniedError } from '../auth/request-attributes.ts';
import type { Authorizer, RequestAttributes } from '../auth/user.ts';

/**
 * Throws 403, worded like upstream's, unless the authorizer allows the request. Without an authorizer, everything is
 * allowed.
 */
export async function authorize(authorizer: Authorizer | undefined, attributes: RequestAttributes): Promise<void> {
  if (authorizer === undefined) return;
  const response = authorizer.authorize(attributes);
  const decision = response instanceof Promise ? await response : response;
  if (decision.allowed) return;
  throw deniedError(attributes, decision.reason);
}
