import type { SelfSubjectAccessReview, SubjectAccessReview, TokenReview } from '@fairway/kube/kinds/generated/types';
import type { ResourceType } from '@fairway/kube/object/meta';

/** Review kinds, which are not stored. */
export const TokenReviews: ResourceType<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
};

export const SelfSubjectAccessReviews: ResourceType<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
};

export const SubjectAccessReviews: ResourceType<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};
