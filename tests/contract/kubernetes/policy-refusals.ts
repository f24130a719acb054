import type { Refusal } from './refusal.ts';

type Fields = Readonly<Record<string, unknown>>;

const apiVersion = 'admissionregistration.k8s.io/v1';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const MATCH = { resourceRules: [RULE] };

function policy(what: string, fields: Fields): Refusal {
  const spec = { matchConstraints: MATCH, validations: [{ expression: 'true' }], ...fields };
  const kind = 'ValidatingAdmissionPolicy';
  return { what: `a policy with ${what}`, manifest: { apiVersion, kind, metadata: { name: 'wrong' }, spec } };
}

function validation(what: string, fields: Fields): Refusal {
  return policy(what, { validations: [{ expression: 'true', ...fields }] });
}

function binding(what: string, fields: Fields): Refusal {
  const spec = { policyName: 'some', validationActions: ['Deny'], ...fields };
  const kind = 'ValidatingAdmissionPolicyBinding';
  return { what: `a binding with ${what}`, manifest: { apiVersion, kind, metadata: { name: 'wrong' }, spec } };
}

/** Policies and bindings that kube-apiserver refuses. CEL's own messages differ between libraries. */
export const POLICY_REFUSALS: readonly Refusal[] = [
  policy('nothing that it is about', { matchConstraints: undefined }),
  policy('no rules', { matchConstraints: {} }),
  policy('a rule of nothing', { matchConstraints: { resourceRules: [{ ...RULE, resources: [] }] } }),
  policy('a name of a resource twice', {
    matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['a', 'a'] }] },
  }),
  policy('an unknown match policy', { matchConstraints: { ...MATCH, matchPolicy: 'Nearly' } }),
  policy('neither validations nor annotations', { validations: [] }),
  policy('an unknown failure policy', { failurePolicy: 'Explode' }),
  policy('parameters of no kind', { paramKind: { apiVersion: 'v1' } }),
  policy('parameters of no version', { paramKind: { kind: 'ConfigMap' } }),
  policy('an odd kind of parameters', { paramKind: { apiVersion: 'v1', kind: 'Config_Map' } }),
  policy('a variable without a name', { variables: [{ name: '', expression: '1' }] }),
  policy('a variable of an odd name', { variables: [{ name: 'a-b', expression: '1' }] }),
  policy('a variable without an expression', { variables: [{ name: 'a', expression: '' }] }),
  policy('two annotations of a key', {
    auditAnnotations: [
      { key: 'a', valueExpression: "'x'" },
      { key: 'a', valueExpression: "'x'" },
    ],
  }),
  policy('an annotation of no text', { auditAnnotations: [{ key: 'a', valueExpression: '1' }] }),
  validation('no expression', { expression: ' ' }),
  validation('an expression that is not boolean', { expression: "'yes'" }),
  validation('an expression with an unknown field of the request', { expression: 'request.userInfo.mail == 1' }),
  validation('an expression with an unknown field of the namespace', {
    expression: 'namespaceObject.metadata.label == 1',
  }),
  validation('a message of two lines', { message: 'a\nb' }),
  validation('an empty message', { message: ' ' }),
  validation('a message that is no text', { messageExpression: '1' }),
  validation('an unknown reason', { reason: 'Because' }),
  binding('no policy', { policyName: '' }),
  binding('an odd policy', { policyName: 'A_' }),
  binding('no actions', { validationActions: [] }),
  binding('an unknown action', { validationActions: ['Shrug'] }),
  binding('an action twice', { validationActions: ['Audit', 'Audit'] }),
  binding('parameters named twice', { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } }),
  binding('parameters not named', { paramRef: { parameterNotFoundAction: 'Deny' } }),
  binding('no word on missing parameters', { paramRef: { name: 'a' } }),
];
