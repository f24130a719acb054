import type {
  SelfSubjectReview,
  TokenReview,
  TokenReviewStatus,
  UserInfo as WireUser,
} from '@fairway/kube/kinds/generated/types';
import { badRequest, isApiError } from '@fairway/kube/object/api-error';
import type { ResourceDefinition } from '../../server/resource.ts';
import type { Access } from '../access.ts';
import type { UserInfo } from '../user.ts';
import { reviewDefinition } from './review-definition.ts';

const AUTHENTICATION_GROUP = 'authentication.k8s.io';

/** `kubectl auth whoami`. */
export const selfSubjectReviews: ResourceDefinition = reviewDefinition<SelfSubjectReview>(
  AUTHENTICATION_GROUP,
  'selfsubjectreviews',
  'SelfSubjectReview',
  false,
  (review, { user }) => Promise.resolve({ ...review, status: { userInfo: toWireUser(user) } }),
);

/** Whether a token is valid, and its user; nodes and webhooks use this review to authenticate callers. */
export const tokenReviews: ResourceDefinition = reviewDefinition<TokenReview>(
  AUTHENTICATION_GROUP,
  'tokenreviews',
  'TokenReview',
  false,
  async (review, { access }) => {
    const { token, audiences = [] } = review.spec;
    if (!token) throw badRequest('token is required for TokenReview in authentication');
    return { ...review, status: await reviewToken(access, token, audiences) };
  },
);

async function reviewToken(access: Access, token: string, audiences: readonly string[]): Promise<TokenReviewStatus> {
  try {
    const known = await access.authenticateToken(token, audiences.length === 0 ? access.apiAudiences : audiences);
    if (known === undefined) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: toWireUser(known.user), audiences: [...known.audiences] };
  } catch (error) {
    if (!isApiError(error, 'Unauthorized')) throw error;
    return { user: {}, error: 'invalid bearer token' };
  }
}

function toWireUser({ username, uid, groups, extra }: UserInfo): WireUser {
  const entries = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username,
    ...(uid !== undefined && { uid }),
    groups: [...groups],
    ...(entries.length > 0 && { extra: Object.fromEntries(entries) }),
  };
}
