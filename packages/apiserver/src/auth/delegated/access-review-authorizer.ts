import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { SubjectAccessReviewSpec } from '@fairway/kube/kinds/generated/types';
import { isResourceRequest } from '../request-attributes.ts';
import type { Authorizer, RequestAttributes } from '../user.ts';
import { SubjectAccessReviews } from './review-types.ts';

/**
 * Delegates authorization to another API server. Results are not cached, so revoking a permission takes effect
 * immediately.
 */
export function createAccessReviewAuthorizer(client: KubeClient): Authorizer {
  const reviews = client.resource(SubjectAccessReviews);
  return {
    async authorize(attributes) {
      const { status } = await reviews.create({ metadata: {}, spec: specOf(attributes) });
      return { allowed: status?.allowed === true && status.denied !== true, reason: status?.reason ?? '' };
    },
  };
}

function specOf(attributes: RequestAttributes): SubjectAccessReviewSpec {
  const { username, uid, groups, extra } = attributes.user;
  const subject = {
    user: username,
    groups: [...groups],
    ...(uid !== undefined && { uid }),
    ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
  if (!isResourceRequest(attributes)) {
    return { ...subject, nonResourceAttributes: { verb: attributes.verb, path: attributes.path } };
  }
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  return { ...subject, resourceAttributes: { verb, group, version, resource, subresource, namespace, name } };
}
