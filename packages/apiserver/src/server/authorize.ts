import { deniedError } from '../auth/request-attributes.ts';
import type { Authorizer, RequestAttributes } from '../auth/user.ts';

/** Throws 403, worded as upstream, unless the authoriser allows the request. Without an authoriser everything is allowed. */
export async function authorize(authorizer: Authorizer | undefined, attributes: RequestAttributes): Promise<void> {
  if (authorizer === undefined) return;
  const answer = authorizer.authorize(attributes);
  const decision = answer instanceof Promise ? await answer : answer;
  if (decision.allowed) return;
  throw deniedError(attributes, decision.reason);
}
