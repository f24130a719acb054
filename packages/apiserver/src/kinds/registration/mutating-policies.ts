import type { MutatingAdmissionPolicy, Mutation } from '@fairway/kube/kinds/generated/types';
import { MutatingAdmissionPolicies, MutatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { compileExpression } from '../../schema/cel-expression.ts';
import { objectLiteralsAsMaps } from '../../schema/cel-object-literals.ts';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { invalidValue, oneOf, required } from '../field-errors.ts';
import { AGE, count, text } from '../printing/column.ts';
import { matchConditionErrors } from './match-conditions.ts';
import {
  constraintErrors,
  defaultMatch,
  matchErrors,
  paramKindErrors,
  paramRefErrors,
  policyNameErrors,
} from './match-resources.ts';
import { PARAM_KIND, PARAM_REF } from './policy-columns.ts';
import { PARAMETERIZED_VARIABLES, POLICY_VARIABLES } from './policy-variables.ts';

function policyErrors({ spec }: MutatingAdmissionPolicy): FieldError[] {
  const { failurePolicy, matchConstraints, mutations = [], reinvocationPolicy, paramKind } = spec;
  const variables = paramKind === undefined ? POLICY_VARIABLES : PARAMETERIZED_VARIABLES;
  return [
    ...oneOf('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']),
    ...paramKindErrors('spec.paramKind', paramKind),
    ...constraintErrors('spec.matchConstraints', matchConstraints),
    ...matchConditionErrors('spec.matchConditions', spec.matchConditions, variables),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, index) => mutationErrors(`spec.mutations[${index}]`, mutation, variables)),
    ...oneOf('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never'], true),
  ];
}

function mutationErrors(
  path: string,
  { patchType, applyConfiguration, jsonPatch }: Mutation,
  variables: readonly string[],
): FieldError[] {
  const type = oneOf(`${path}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch'], true);
  if (type.length > 0) return type;
  const isPatch = patchType === 'JSONPatch';
  const [field, other] = isPatch ? ['jsonPatch', 'applyConfiguration'] : ['applyConfiguration', 'jsonPatch'];
  const requiredField = isPatch ? jsonPatch : applyConfiguration;
  const unwanted = isPatch ? applyConfiguration : jsonPatch;
  const wrong =
    unwanted === undefined
      ? []
      : [invalidValue(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`)];
  if (requiredField === undefined) {
    return [required(`${path}.${field}`, `must be specified when patchType is ${patchType}`), ...wrong];
  }
  return [...expressionErrors(`${path}.${field}.expression`, requiredField.expression, variables), ...wrong];
}

function expressionErrors(field: string, expression: string | undefined, variables: readonly string[]): FieldError[] {
  if (!expression?.trim()) return [required(field)];
  const { error } = compileExpression(objectLiteralsAsMaps(expression), variables);
  return error === undefined ? [] : [invalidValue(field, expression.trim(), `compilation failed: ERROR: ${error}`)];
}

export const MutatingAdmissionPolicyKind = defineKind(MutatingAdmissionPolicies, {
  definition: 'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy',
  categories: ['api-extensions'],
  strategy: {
    default({ spec }) {
      setDefaults(spec, { failurePolicy: 'Fail' });
      defaultMatch(spec.matchConstraints);
    },
    validate: policyErrors,
  },
  columns: [count('Mutations', ({ spec }) => spec.mutations?.length ?? 0), PARAM_KIND, AGE],
});

export const MutatingAdmissionPolicyBindingKind = defineKind(MutatingAdmissionPolicyBindings, {
  definition: 'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding',
  categories: ['api-extensions'],
  strategy: {
    default: ({ spec }) => defaultMatch(spec.matchResources),
    validate: ({ spec }) => [
      ...policyNameErrors('spec.policyName', spec.policyName),
      ...paramRefErrors('spec.paramRef', spec.paramRef),
      ...matchErrors('spec.matchResources', spec.matchResources),
    ],
  },
  columns: [text('PolicyName', '.spec.policyName'), PARAM_REF, AGE],
});
