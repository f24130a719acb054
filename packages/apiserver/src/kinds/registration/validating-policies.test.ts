import { expect, test } from 'vitest';
import { post, serverOfKinds } from '../testing/kinds-server.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const SPEC = { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'true' }] };

interface ObjectResponse {
  readonly status: number;
  readonly body: { readonly details?: { readonly causes?: readonly { field: string; message: string }[] } };
}

function messagesOf({ body }: ObjectResponse): string[] {
  return (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

test.each<{ reason: string; spec: object; says: string[] }>([
  { reason: 'complete', spec: {}, says: [] },
  { reason: 'about nothing', spec: { matchConstraints: undefined }, says: ['spec.matchConstraints: Required value'] },
  {
    reason: 'without rules',
    spec: { matchConstraints: {} },
    says: ['spec.matchConstraints.resourceRules: Required value'],
  },
  {
    reason: 'an empty validation',
    spec: { validations: [] },
    says: [
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  },
  {
    reason: 'an unknown failurePolicy',
    spec: { failurePolicy: 'Explode' },
    says: ['spec.failurePolicy: Unsupported value: "Explode": supported values: "Fail", "Ignore"'],
  },
  {
    reason: "an expression that can't be parsed",
    spec: { validations: [{ expression: 'object.' }] },
    says: [
      expect.stringMatching(/^spec.validations\[0\].expression: Invalid value: "object.": compilation failed: ERROR: /),
    ],
  },
  {
    reason: 'an expression that does not evaluate to bool',
    spec: { validations: [{ expression: "'yes'" }] },
    says: [`spec.validations[0].expression: Invalid value: "'yes'": must evaluate to bool but got string`],
  },
  {
    reason: 'a message that is not a string',
    spec: { validations: [{ expression: 'true', messageExpression: '1' }] },
    says: ['spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int'],
  },
  {
    reason: 'a message that checks permissions',
    spec: { validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] },
    says: [expect.stringContaining('spec.validations[0].messageExpression: Invalid value: ')],
  },
  {
    reason: 'a message of two lines',
    spec: { validations: [{ expression: 'true', message: 'a\nb' }] },
    says: ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  },
  {
    reason: 'an unknown reason',
    spec: { validations: [{ expression: 'true', reason: 'Because' }] },
    says: [
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  },
  {
    reason: 'a variable without a name',
    spec: { variables: [{ name: 'a-b', expression: '1' }] },
    says: ['spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier'],
  },
  {
    reason: 'parameters without a kind',
    spec: { paramKind: { apiVersion: 'a/b/c' } },
    says: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.paramKind.kind: Required value',
    ],
  },
  {
    reason: 'parameters that are not declared',
    spec: { validations: [{ expression: 'params.data.a == object.data.a' }] },
    says: [expect.stringContaining("ERROR: <input>:1:1: undeclared reference to 'params' (in container '')")],
  },
  {
    reason: 'an unknown field of a request',
    spec: { validations: [{ expression: 'request.userInfo.mail == 1' }] },
    says: [
      'spec.validations[0].expression: Invalid value: "request.userInfo.mail == 1": ' +
        "compilation failed: ERROR: <input>:1:17: undefined field 'mail'\n | request.userInfo.mail == 1\n | ................^",
    ],
  },
  {
    reason: 'a variable that uses a later one',
    spec: {
      variables: [
        { name: 'a', expression: 'variables.b + 1' },
        { name: 'b', expression: '1' },
      ],
    },
    says: [
      expect.stringContaining('spec.variables[0].expression: Invalid value: "variables.b + 1": compilation failed'),
    ],
  },
  {
    reason: 'annotations with the same key',
    spec: {
      auditAnnotations: [
        { key: 'a', valueExpression: "'x'" },
        { key: 'a', valueExpression: 'null' },
      ],
    },
    says: ['spec.auditAnnotations[1].key: Duplicate value: "a"'],
  },
])('a policy: $reason', async ({ spec, says }) => {
  const server = await serverOfKinds();

  const response = await post(server, POLICIES, { metadata: { name: 'rule' }, spec: { ...SPEC, ...spec } });

  expect(messagesOf(response)).toEqual(says);
  expect(response.status).toBe(says.length === 0 ? 201 : 422);
});

test.each<{ reason: string; spec: object; says: string[] }>([
  { reason: 'complete', spec: {}, says: [] },
  { reason: 'no policy name', spec: { policyName: '' }, says: ['spec.policyName: Required value'] },
  {
    reason: 'no actions',
    spec: { validationActions: [] },
    says: ['spec.validationActions: Required value: at least one validation action is required'],
  },
  {
    reason: 'unspecified actions',
    spec: { validationActions: undefined },
    says: ['spec.validationActions: Required value: at least one validation action is required'],
  },
  {
    reason: 'both Deny and Warn',
    spec: { validationActions: ['Deny', 'Warn'] },
    says: [expect.stringMatching(/must not contain both Deny and Warn/)],
  },
  {
    reason: 'two references to parameters',
    spec: { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
    says: [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  },
  {
    reason: 'no action for missing parameters',
    spec: { paramRef: { name: 'a' } },
    says: ['spec.paramRef.parameterNotFoundAction: Required value'],
  },
])('a binding: $reason', async ({ spec, says }) => {
  const server = await serverOfKinds();

  const response = await post(server, BINDINGS, {
    metadata: { name: 'rule' },
    spec: { policyName: 'rule', validationActions: ['Deny'], ...spec },
  });

  expect(messagesOf(response)).toEqual(says);
  expect(response.status).toBe(says.length === 0 ? 201 : 422);
});
