import { ApiError, forbidden } from '@fairway/kube/object/api-error';
import type { RequestAttributes, ResourceAttributes } from './user.ts';

export function isResourceRequest(attributes: RequestAttributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}

/**
 * The 403 that kube-apiserver returns for a request that no authorizer allowed; `reason` comes from the authorizers.
 */
export function deniedError(attributes: RequestAttributes, reason: string): ApiError {
  const detail = `${sanitize(describe(attributes))}${reason === '' ? '' : `: ${reason}`}`;
  if (!isResourceRequest(attributes)) return new ApiError(403, 'Forbidden', `forbidden: ${detail}`);
  const { group, resource, name } = attributes;
  return forbidden({ group, resource, name }, detail);
}

function describe(attributes: RequestAttributes): string {
  const user = JSON.stringify(attributes.user.username);
  if (!isResourceRequest(attributes)) {
    return `User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
  }
  const { verb, group, resource, subresource, namespace } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${user} cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

/** Browsers must not interpret errors as HTML. */
function sanitize(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
