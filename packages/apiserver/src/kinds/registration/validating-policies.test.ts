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

test.each<{ reason: string; spec: object; expectedErrors: string[] }>([
  { reason: 'complete', spec: {}, expectedErrors: [] },
  {
    reason: 'without match constraints',
    spec: { matchConstraints: undefined },
    expectedErrors: ['spec.matchConstraints: Required value'],
  },
  {
    reason: 'without resource rules',
    spec: { matchConstraints: {} },
    expectedErrors: ['spec.matchConstraints.resourceRules: Required value'],
  },
  {
    reason: 'an empty validation',
    spec: { validations: [] },
    expectedErrors: [
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  },
  {
    reason: 'an unknown failurePolicy',
    spec: { failurePolicy: 'Explode' },
    expectedErrors: ['spec.failurePolicy: Unsupported value: "Explode": supported values: "Fail", "Ignore"'],
  },
  {
    reason: "an expression that can't be parsed",
    spec: { validations: [{ expression: 'object.' }] },
    expectedErrors: [
      expect.stringMatching(/^spec.validations\[0\].expression: Invalid value: "object.": compilation failed: ERROR: /),
    ],
  },
  {
    reason: 'an expression that does not evaluate to bool',
    spec: { validations: [{ expression: "'yes'" }] },
    expectedErrors: [`spec.validations[0].expression: Invalid value: "'yes'": must evaluate to bool but got string`],
  },
  {
    reason: 'a message that is not a string',
    spec: { validations: [{ expression: 'true', messageExpression: '1' }] },
    expectedErrors: ['spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int'],
  },
  {
    reason: 'a message that checks permissions',
    spec: { validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] },
    expectedErrors: [expect.stringContaining('spec.validations[0].messageExpression: Invalid value: ')],
  },
  {
    reason: 'a message of two lines',
    spec: { validations: [{ expression: 'true', message: 'a\nb' }] },
    expectedErrors: ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  },
  {
    reason: 'an unknown reason',
    spec: { validations: [{ expression: 'true', reason: 'Because' }] },
    expectedErrors: [
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  },
  {
    reason: 'a variable without a name',
    spec: { variables: [{ name: 'a-b', expression: '1' }] },
    expectedErrors: ['spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier'],
  },
  {
    reason: 'parameters without a kind',
    spec: { paramKind: { apiVersion: 'a/b/c' } },
    expectedErrors: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.paramKind.kind: Required value',
    ],
  },
  {
    reason: 'parameters that are not declared',
    spec: { validations: [{ expression: 'params.data.a == object.data.a' }] },
    expectedErrors: [expect.stringContaining("ERROR: <input>:1:1: undeclared reference to 'params' (in container '')")],
  },
  {
    reason: 'an unknown field of a request',
    spec: { validations: [{ expression: 'request.userInfo.mail == 1' }] },
    expectedErrors: [
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
    expectedErrors: [
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
    expectedErrors: ['spec.auditAnnotations[1].key: Duplicate value: "a"'],
  },
])('a policy: $reason', async ({ spec, expectedErrors }) => {
  const server = await serverOfKinds();

  const response = await post(server, POLICIES, { metadata: { name: 'rule' }, spec: { ...SPEC, ...spec } });

  expect(messagesOf(response)).toEqual(expectedErrors);
  expect(response.status).toBe(expectedErrors.length === 0 ? 201 : 422);
});

test.each<{ reason: string; spec: object; expectedErrors: string[] }>([
  { reason: 'complete', spec: {}, expectedErrors: [] },
  {
    reason: 'the name of the policy is missing',
    spec: { policyName: '' },
    expectedErrors: ['spec.policyName: Required value'],
  },
  {
    reason: 'no actions',
    spec: { validationActions: [] },
    expectedErrors: ['spec.validationActions: Required value: at least one validation action is required'],
  },
  {
    reason: 'unspecified actions',
    spec: { validationActions: undefined },
    expectedErrors: ['spec.validationActions: Required value: at least one validation action is required'],
  },
  {
    reason: 'both Deny and Warn',
    spec: { validationActions: ['Deny', 'Warn'] },
    expectedErrors: [expect.stringMatching(/must not contain both Deny and Warn/)],
  },
  {
    reason: 'two references to parameters',
    spec: { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
    expectedErrors: [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  },
  {
    reason: 'the action for missing parameters is missing',
    spec: { paramRef: { name: 'a' } },
    expectedErrors: ['spec.paramRef.parameterNotFoundAction: Required value'],
  },
])('a binding: $reason', async ({ spec, expectedErrors }) => {
  const server = await serverOfKinds();

  const response = await post(server, BINDINGS, {
    metadata: { name: 'rule' },
    spec: { policyName: 'rule', validationActions: ['Deny'], ...spec },
  });

  expect(messagesOf(response)).toEqual(expectedErrors);
  expect(response.status).toBe(expectedErrors.length === 0 ? 201 : 422);
});
