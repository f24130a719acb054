import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import { ClusterRoles, Roles } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { pathSegmentNameErrors } from '@fairway/kube/object/names';
import { defineKind } from '../define-kind.ts';
import { invalidValue, required } from '../field-errors.ts';
import { CREATED_AT } from '../printing/column.ts';
import { labelSelectorErrors } from '../validation-common.ts';

/** Upstream's ValidatePolicyRule. */
function rulesErrors(rules: readonly PolicyRule[] | undefined, isNamespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => {
    const path = `rules[${index}]`;
    const errors: FieldError[] = [];
    if (!rule.verbs?.length) errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
    if (rule.nonResourceURLs?.length) {
      if (isNamespaced) {
        const detail = 'namespaced rules cannot apply to non-resource URLs';
        errors.push(invalidValue(`${path}.nonResourceURLs`, rule.nonResourceURLs, detail));
      }
      if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length) {
        const detail = 'rules cannot apply to both regular resources and non-resource URLs';
        errors.push(invalidValue(`${path}.nonResourceURLs`, rule.nonResourceURLs, detail));
      }
      return errors;
    }
    if (!rule.apiGroups?.length) {
      errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    }
    if (!rule.resources?.length) {
      errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
    }
    return errors;
  });
}

export const RoleKind = defineKind(Roles, {
  definition: 'io.k8s.api.rbac.v1.Role',
  hasGeneration: false,
  strategy: { nameErrors: pathSegmentNameErrors, validate: ({ rules }) => rulesErrors(rules, true) },
  columns: [CREATED_AT],
});

export const ClusterRoleKind = defineKind(ClusterRoles, {
  definition: 'io.k8s.api.rbac.v1.ClusterRole',
  hasGeneration: false,
  strategy: {
    nameErrors: pathSegmentNameErrors,
    validate({ rules, aggregationRule }) {
      const errors = rulesErrors(rules, false);
      if (aggregationRule === undefined) return errors;
      const selectors = aggregationRule.clusterRoleSelectors ?? [];
      const field = 'aggregationRule.clusterRoleSelectors';
      if (selectors.length === 0)
        errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
      return [
        ...errors,
        ...selectors.flatMap((selector, index) => labelSelectorErrors(`${field}[${index}]`, selector)),
      ];
    },
  },
  columns: [CREATED_AT],
});
