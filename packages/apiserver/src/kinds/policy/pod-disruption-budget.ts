import type { PodDisruptionBudgetSpec } from '@fairway/kube/kinds/generated/types';
import { PodDisruptionBudgets } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { defineKind } from '../define-kind.ts';
import { invalidValue } from '../field-errors.ts';
import { AGE, count, text } from '../printing/column.ts';
import { atMostHundredPercent, countOrPercentErrors, labelSelectorErrors } from '../validation-common.ts';

function specErrors(spec: PodDisruptionBudgetSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    errors.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    errors.push(...countOrPercentErrors(`spec.${name}`, spec[name]));
    errors.push(...atMostHundredPercent(`spec.${name}`, spec[name]));
  }
  return [...errors, ...labelSelectorErrors('spec.selector', spec.selector)];
}

export const PodDisruptionBudgetKind = defineKind(PodDisruptionBudgets, {
  definition: 'io.k8s.api.policy.v1.PodDisruptionBudget',
  shortNames: ['pdb'],
  hasStatus: true,
  strategy: {
    prepareForCreate(budget) {
      budget.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
    },
    validate: ({ spec }) => specErrors(spec),
  },
  columns: [
    text('Min Available', ({ spec }) => `${spec.minAvailable ?? 'N/A'}`),
    text('Max Unavailable', ({ spec }) => `${spec.maxUnavailable ?? 'N/A'}`),
    count('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0),
    AGE,
  ],
});
