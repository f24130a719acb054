import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual, setOwn } from '@fairway/kube/object/json';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { compileExpression } from '../../schema/cel-expression.ts';
import { NAMESPACE_TYPE, REQUEST_TYPE } from '../../schema/cel-policy-types.ts';
import { TypedExpression } from '../../schema/cel-type-check.ts';
import { type CelType, DYN, NULL, nameOf, objectOf, simpleType } from '../../schema/cel-types.ts';
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
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];

/** Identifiers that are not reserved by CEL, and may name a variable. */
const IDENTIFIER =
  /^(?!(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z]\w*$/;

/** Variables of expressions, with types that are known before any object exists. */
type Scope = ReadonlyMap<string, CelType>;

/** Errors in a policy, with the messages of k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
function policyErrors({ metadata, spec }: ValidatingAdmissionPolicy): FieldError[] {
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  const names = spec.paramKind === undefined ? POLICY_VARIABLES : PARAMETERIZED_VARIABLES;
  const known: Record<string, CelType> = {};
  const scope = new Map(names.map((name): [string, CelType] => [name, TYPES[name] ?? DYN]));
  scope.set('variables', objectOf('kubernetes.variables', known));
  const atLeastOneMessage = 'validations or auditAnnotations must contain at least one item';
  const isEmpty = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore'], true),
    ...paramKindErrors('spec.paramKind', spec.paramKind),
    ...constraintErrors('spec.matchConstraints', spec.matchConstraints),
    ...matchConditionErrors('spec.matchConditions', spec.matchConditions, names),
    ...variables.flatMap((variable, index) => variableErrors(`spec.variables[${index}]`, variable, scope, known)),
    ...(isEmpty
      ? [required('spec.validations', atLeastOneMessage), required('spec.auditAnnotations', atLeastOneMessage)]
      : []),
    ...validations.flatMap((validation, index) => validationErrors(`spec.validations[${index}]`, validation, scope)),
    ...annotationsErrors('spec.auditAnnotations', auditAnnotations, metadata.name ?? '', scope),
  ];
}

const TYPES: Readonly<Record<string, CelType | undefined>> = {
  request: REQUEST_TYPE,
  namespaceObject: NAMESPACE_TYPE,
  authorizer: simpleType('Authorizer'),
};

/** Adds the types of the variables. Each variable can use the previous ones. */
function variableErrors(
  path: string,
  { name, expression }: Variable,
  scope: Scope,
  known: Record<string, CelType>,
): FieldError[] {
  const errors = [
    ...(!name?.trim()
      ? [required(`${path}.name`, 'name is not specified')]
      : IDENTIFIER.test(name)
        ? []
        : [invalidValue(`${path}.name`, name, 'must be a valid CEL identifier')]),
    ...expressionErrors(`${path}.expression`, expression, scope),
  ];
  setOwn(known, name, expression ? new TypedExpression(expression).check(scope).type : DYN);
  return errors;
}

function validationErrors(path: string, validation: Validation, scope: Scope): FieldError[] {
  const { expression, message, messageExpression, reason } = validation;
  // The message must not reveal permissions to a rejected client.
  const messageScope = new Map([...scope].filter(([variable]) => variable !== 'authorizer'));
  return [
    ...expressionErrors(`${path}.expression`, expression, scope, ['bool']),
    ...(messageExpression
      ? messageExpression.trim() === ''
        ? [invalidValue(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified')]
        : expressionErrors(`${path}.messageExpression`, messageExpression, messageScope, ['string'])
      : []),
    ...messageErrors(`${path}.message`, message ?? ''),
    ...oneOf(`${path}.reason`, reason, REASONS),
  ];
}

function messageErrors(field: string, message: string): FieldError[] {
  if (message !== '' && message.trim() === '') {
    return [invalidValue(field, message, 'must be non-empty if specified')];
  }
  return /[\n\r]/.test(message.trim()) ? [invalidValue(field, message, 'must not contain line breaks')] : [];
}

function annotationsErrors(
  path: string,
  annotations: readonly AuditAnnotation[],
  policy: string,
  scope: Scope,
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
          : expressionErrors(`${at}.valueExpression`, valueExpression, scope, ['string', 'null_type'])),
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
  scope: Scope,
  expected?: readonly string[],
): FieldError[] {
  if (!expression?.trim()) return [required(field, `${field.slice(field.lastIndexOf('.') + 1)} is not specified`)];
  const { type, problem } = new TypedExpression(expression).check(scope);
  if (problem !== '') return [invalidValue(field, expression, `compilation failed: ${problem}`)];
  const { error } = compileExpression(expression, [...scope.keys()]);
  if (error !== undefined) return [invalidValue(field, expression, `compilation failed: ERROR: ${error}`)];
  const name = type === NULL ? 'null_type' : nameOf(type);
  if (expected === undefined || type === DYN || expected.includes(name)) return [];
  const types = expected.length === 1 ? expected.join('') : `one of [${expected.join(' ')}]`;
  return [invalidValue(field, expression, `must evaluate to ${types} but got ${name}`)];
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
    // A stored policy that an earlier release accepted can still be labelled and finalized.
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
