import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { compileExpression } from '../../schema/cel-expression.ts';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { duplicates, invalidName, invalidValue, oneOf, required } from '../field-errors.ts';
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

const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];

/** Words that are none of CEL's own, and may name a variable. */
const IDENTIFIER =
  /^(?!(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z]\w*$/;

/** Errors of a policy, with the messages of k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
function policyErrors({ metadata, spec }: ValidatingAdmissionPolicy): FieldError[] {
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  const seen = spec.paramKind === undefined ? POLICY_VARIABLES : PARAMETERIZED_VARIABLES;
  const oneNeeded = 'validations or auditAnnotations must contain at least one item';
  const isEmpty = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore'], true),
    ...paramKindErrors('spec.paramKind', spec.paramKind),
    ...constraintErrors('spec.matchConstraints', spec.matchConstraints),
    ...matchConditionErrors('spec.matchConditions', spec.matchConditions, seen),
    ...variables.flatMap((variable, index) => variableErrors(`spec.variables[${index}]`, variable, seen)),
    ...(isEmpty ? [required('spec.validations', oneNeeded), required('spec.auditAnnotations', oneNeeded)] : []),
    ...validations.flatMap((validation, index) => validationErrors(`spec.validations[${index}]`, validation, seen)),
    ...annotationsErrors('spec.auditAnnotations', auditAnnotations, metadata.name ?? '', seen),
  ];
}

function variableErrors(path: string, { name, expression }: Variable, seen: readonly string[]): FieldError[] {
  return [
    ...(!name?.trim()
      ? [required(`${path}.name`, 'name is not specified')]
      : IDENTIFIER.test(name)
        ? []
        : [invalidValue(`${path}.name`, name, 'name is not a valid CEL identifier')]),
    ...expressionErrors(`${path}.expression`, expression, seen),
  ];
}

function validationErrors(path: string, validation: Validation, seen: readonly string[]): FieldError[] {
  const { expression, message, messageExpression, reason } = validation;
  // Whoever is refused is not told what he may do.
  const seenByMessages = seen.filter((variable) => variable !== 'authorizer');
  return [
    ...expressionErrors(`${path}.expression`, expression, seen, ['bool']),
    ...(messageExpression
      ? messageExpression.trim() === ''
        ? [invalidValue(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified')]
        : expressionErrors(`${path}.messageExpression`, messageExpression, seenByMessages, ['string'])
      : []),
    ...messageErrors(`${path}.message`, message ?? ''),
    ...oneOf(`${path}.reason`, reason, REASONS),
  ];
}

function messageErrors(field: string, message: string): FieldError[] {
  if (message !== '' && message.trim() === '') {
    return [invalidValue(field, message, 'message must be non-empty if specified')];
  }
  return /[\n\r]/.test(message.trim()) ? [invalidValue(field, message, 'message must not contain line breaks')] : [];
}

function annotationsErrors(
  path: string,
  annotations: readonly AuditAnnotation[],
  policy: string,
  seen: readonly string[],
): FieldError[] {
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const detail = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`;
    return [invalidValue(path, annotations.length, detail)];
  }
  return [
    ...annotations.flatMap(({ key, valueExpression }, index) => {
      const at = `${path}[${index}]`;
      const isTooLong = Buffer.byteLength(valueExpression ?? '') > MAX_VALUE_EXPRESSION_BYTES;
      return [
        ...invalidName(`${at}.key`, `${policy}/${key}`, qualifiedNameErrors(`${policy}/${key}`)),
        ...(isTooLong
          ? [required(`${at}.valueExpression`, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`)]
          : expressionErrors(`${at}.valueExpression`, valueExpression, seen, ['string', 'null'])),
      ];
    }),
    ...duplicates(
      annotations.map(({ key }) => key),
      (index) => `${path}[${index}].key`,
    ),
  ];
}

function expressionErrors(
  field: string,
  expression: string | undefined,
  seen: readonly string[],
  wanted?: readonly string[],
): FieldError[] {
  if (!expression?.trim()) return [required(field, `${field.slice(field.lastIndexOf('.') + 1)} is not specified`)];
  const { error } = compileExpression(expression, seen, wanted);
  if (error === undefined) return [];
  const isType = error.startsWith('must evaluate to ');
  return [invalidValue(field, expression, isType ? error : `compilation failed: ERROR: ${error}`)];
}

function statusErrors({ status }: ValidatingAdmissionPolicy): FieldError[] {
  return (status?.typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
    const path = `status.typeChecking.expressionWarnings[${index}]`;
    return [
      ...(warning ? [] : [required(`${path}.warning`)]),
      ...(fieldRef?.trim() ? [] : [required(`${path}.fieldRef`)]),
    ];
  });
}

export const ValidatingAdmissionPolicyKind = defineKind(ValidatingAdmissionPolicies, {
  definition: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy',
  categories: ['api-extensions'],
  hasStatus: true,
  strategy: {
    default({ spec }) {
      setDefaults(spec, { failurePolicy: 'Fail' });
      defaultMatch(spec.matchConstraints);
    },
    prepareForCreate(policy) {
      policy.status = {};
    },
    // One that was stored when nobody looked can be labelled and finalized as it is.
    validate: (policy, old) => (old !== undefined && jsonEqual(policy.spec, old.spec) ? [] : policyErrors(policy)),
    validateStatus: statusErrors,
  },
  columns: [count('Validations', ({ spec }) => spec.validations?.length ?? 0), PARAM_KIND, AGE],
});

function bindingErrors({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const { policyName, paramRef, matchResources, validationActions: actions = [] } = spec as Partial<typeof spec>;
  const path = 'spec.validationActions';
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...policyNameErrors('spec.policyName', policyName),
    ...paramRefErrors('spec.paramRef', paramRef),
    ...matchErrors('spec.matchResources', matchResources),
    ...actions.flatMap((action, index) => oneOf(`${path}[${index}]`, action, ACTIONS, true)),
    ...duplicates(actions, (index) => `${path}[${index}]`),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalidValue(path, actions, both)] : []),
    ...(actions.length === 0 ? [required(path, 'at least one validation action is required')] : []),
  ];
}

export const ValidatingAdmissionPolicyBindingKind = defineKind(ValidatingAdmissionPolicyBindings, {
  definition: 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  categories: ['api-extensions'],
  strategy: {
    default: ({ spec }) => defaultMatch(spec.matchResources),
    validate: (binding, old) => (old !== undefined && jsonEqual(binding.spec, old.spec) ? [] : bindingErrors(binding)),
  },
  columns: [text('PolicyName', '.spec.policyName'), PARAM_REF, AGE],
});
