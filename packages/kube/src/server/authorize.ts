import type { Authorizer, RequestAttributes } from '../auth/user.ts';
import { ApiError } from '../object/api-error.ts';

/** Throws 403, worded as upstream, unless the authoriser allows the request. Without an authoriser everything is allowed. */
export async function authorize(authorizer: Authorizer | undefined, attributes: RequestAttributes): Promise<void> {
  if (authorizer === undefined) return;
  const answer = authorizer.authorize(attributes);
  const decision = answer instanceof Promise ? await answer : answer;
  if (decision.allowed) return;
  throw forbiddenError(attributes, decision.reason);
}

function forbiddenError(attributes: RequestAttributes, reason: string): ApiError {
  const user = JSON.stringify(attributes.user.username);
  const tail = reason === '' ? '' : `: ${reason}`;
  if ('path' in attributes) {
    const message = `forbidden: User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${tail}`;
    return new ApiError(403, 'Forbidden', message, { subject: {} });
  }
  const { group, resource, subresource, namespace, name, verb } = attributes;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const named = name === '' ? '' : ` ${JSON.stringify(name)}`;
  const message =
    `${qualified}${named} is forbidden: User ${user} cannot ${verb} resource ${JSON.stringify(full)} ` +
    `in API group ${JSON.stringify(group)} ${where}${tail}`;
  return new ApiError(403, 'Forbidden', message, { subject: { group, resource, name } });
}
