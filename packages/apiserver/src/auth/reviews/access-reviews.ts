import type {
  LocalSubjectAccessReview,
  PolicyRule,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '@fairway/kube/kinds/generated/types';
import { badRequest } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { ResourceDefinition } from '../../server/resource.ts';
import type { Access } from '../access.ts';
import type { RequestAttributes, UserInfo } from '../user.ts';
import { reviewDefinition } from './review-definition.ts';

const AUTHORIZATION_GROUP = 'authorization.k8s.io';
const CLUSTER_SCOPED = false;
const NAMESPACED = true;

/** `kubectl auth can-i`. */
export const selfSubjectAccessReviews: ResourceDefinition = reviewDefinition<SelfSubjectAccessReview>(
  AUTHORIZATION_GROUP,
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  CLUSTER_SCOPED,
  async (review, { user, access }) => {
    refuse('SelfSubjectAccessReview', attributesErrors(review.spec));
    return { ...review, status: await decide(access, user, review.spec) };
  },
);

/** A review for another user. */
export const subjectAccessReviews: ResourceDefinition = reviewDefinition<SubjectAccessReview>(
  AUTHORIZATION_GROUP,
  'subjectaccessreviews',
  'SubjectAccessReview',
  CLUSTER_SCOPED,
  async (review, { access }) => {
    refuse('SubjectAccessReview', [...attributesErrors(review.spec), ...subjectErrors(review.spec)]);
    return { ...review, status: await decide(access, subjectOf(review.spec), review.spec) };
  },
);

/** A review for another user in one namespace, which namespace administrators can be allowed to create. */
export const localSubjectAccessReviews: ResourceDefinition = reviewDefinition<LocalSubjectAccessReview>(
  AUTHORIZATION_GROUP,
  'localsubjectaccessreviews',
  'LocalSubjectAccessReview',
  NAMESPACED,
  async (review, { namespace, access }) => {
    refuse('LocalSubjectAccessReview', [
      ...attributesErrors(review.spec),
      ...subjectErrors(review.spec),
      ...localErrors(review.spec, namespace),
    ]);
    return { ...review, status: await decide(access, subjectOf(review.spec), review.spec) };
  },
);

/** `kubectl auth can-i --list`. */
export const selfSubjectRulesReviews: ResourceDefinition = reviewDefinition<SelfSubjectRulesReview>(
  AUTHORIZATION_GROUP,
  'selfsubjectrulesreviews',
  'SelfSubjectRulesReview',
  CLUSTER_SCOPED,
  (review, { user, access }) => {
    const { namespace } = review.spec;
    if (!namespace) throw badRequest('no namespace on request');
    const { rules, incomplete, evaluationError } = access.rulesFor(user, namespace);
    const status = {
      resourceRules: rules.filter((rule) => (rule.resources?.length ?? 0) > 0).map(resourceRule),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
      ),
      incomplete,
      ...(evaluationError !== '' && { evaluationError }),
    };
    return Promise.resolve({ ...review, status });
  },
);

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  return {
    verbs,
    ...(apiGroups && { apiGroups }),
    ...(resources && { resources }),
    ...(resourceNames && { resourceNames }),
  };
}

async function decide(
  access: Access,
  user: UserInfo,
  spec: SelfSubjectAccessReviewSpec,
): Promise<SubjectAccessReviewStatus> {
  const { allowed, reason } = await access.authorize(attributesOf(user, spec));
  return { allowed, ...(reason !== '' && { reason }) };
}

function attributesOf(user: UserInfo, spec: SelfSubjectAccessReviewSpec): RequestAttributes {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes === undefined) {
    return { user, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
  }
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes;
  const fieldSelector = fieldSelectorOf(resourceAttributes.fieldSelector);
  return {
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(fieldSelector !== '' && { fieldSelector }),
  };
}

function fieldSelectorOf(
  selector: NonNullable<SelfSubjectAccessReviewSpec['resourceAttributes']>['fieldSelector'] | undefined,
): string {
  if (selector?.rawSelector) return selector.rawSelector;
  const terms = (selector?.requirements ?? []).filter(
    ({ operator, values = [] }) => operator === 'In' && values.length === 1,
  );
  return terms.map(({ key, values = [] }) => `${key}=${values[0]}`).join(',');
}

function subjectOf({ user = '', uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo {
  return { username: user, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
}

function attributesErrors({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): FieldError[] {
  if ((resourceAttributes === undefined) !== (nonResourceAttributes === undefined)) return [];
  const detail =
    resourceAttributes === undefined
      ? 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
      : 'cannot be specified in combination with resourceAttributes';
  const field = resourceAttributes === undefined ? 'spec.resourceAttributes' : 'spec.nonResourceAttributes';
  return [{ type: 'FieldValueInvalid', field, value: nonResourceAttributes ?? null, detail }];
}

function subjectErrors({ user = '', groups = [] }: SubjectAccessReviewSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [
    {
      type: 'FieldValueInvalid',
      field: 'spec.user',
      value: user,
      detail: 'at least one of user or group must be specified',
    },
  ];
}

function localErrors(spec: SubjectAccessReviewSpec, namespace: string): FieldError[] {
  if (spec.nonResourceAttributes !== undefined) {
    const detail = 'disallowed on this kind of request';
    return [
      { type: 'FieldValueInvalid', field: 'spec.nonResourceAttributes', value: spec.nonResourceAttributes, detail },
    ];
  }
  const requested = spec.resourceAttributes?.namespace ?? '';
  if (requested === namespace) return [];
  const detail = 'must match metadata.namespace';
  return [{ type: 'FieldValueInvalid', field: 'spec.resourceAttributes.namespace', value: requested, detail }];
}

function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: AUTHORIZATION_GROUP, kind }, '', errors);
}
