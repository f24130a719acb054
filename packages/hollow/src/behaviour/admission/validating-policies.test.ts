import type {
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  Namespaces,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { expect, test } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';

type PolicySpec = ValidatingAdmissionPolicy['spec'];

const CONFIG_MAPS = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};
const DENIED = `configmaps "some" is forbidden: ValidatingAdmissionPolicy 'rule' with binding 'rule' denied request: `;

async function withPolicy(
  spec: PolicySpec,
  binding: Partial<ValidatingAdmissionPolicyBinding['spec']> = {},
): Promise<TestCluster> {
  const cluster = await TestCluster.start({ nodes: [] });
  await cluster.client
    .resource(ValidatingAdmissionPolicies)
    .create({ metadata: { name: 'rule' }, spec: { matchConstraints: CONFIG_MAPS, ...spec } });
  await cluster.client.resource(ValidatingAdmissionPolicyBindings).create({
    metadata: { name: 'rule' },
    spec: { policyName: 'rule', validationActions: ['Deny'], ...binding },
  });
  return cluster;
}

function create({ client }: TestCluster, data: Readonly<Record<string, string>> = { a: 'b' }): Promise<unknown> {
  return client.resource(ConfigMaps).create({ metadata: { name: 'some', namespace: 'default' }, data });
}

test.each<{
  reason: string;
  spec: PolicySpec;
  binding?: Partial<ValidatingAdmissionPolicyBinding['spec']>;
  expectedMessage?: string;
}>([
  { reason: 'a rule that is met', spec: { validations: [{ expression: "object.data.a == 'b'" }] } },
  {
    reason: 'a rule that is violated',
    spec: { validations: [{ expression: "object.data.a == 'c'", message: 'a must be c' }] },
    expectedMessage: 'a must be c',
  },
  {
    reason: 'a rule without a message',
    spec: { validations: [{ expression: "'x' in object.data" }] },
    expectedMessage: "failed expression: 'x' in object.data",
  },
  {
    reason: 'a message from an expression',
    spec: { validations: [{ expression: 'false', messageExpression: "'it is ' + object.data.a" }] },
    expectedMessage: 'it is b',
  },
  {
    reason: 'a condition that is not met',
    spec: {
      matchConditions: [{ name: 'x', expression: "request.namespace == 'other'" }],
      validations: [{ expression: 'false' }],
    },
  },
  {
    reason: 'variables',
    spec: {
      variables: [
        { name: 'count', expression: 'size(object.data)' },
        { name: 'isMany', expression: 'variables.count > 1' },
      ],
      validations: [{ expression: 'variables.isMany', message: 'too few' }],
    },
    expectedMessage: 'too few',
  },
  {
    reason: 'a failing variable that nothing uses',
    spec: {
      variables: [{ name: 'broken', expression: 'object.data.missing' }],
      validations: [{ expression: "object.data.a == 'b' || variables.broken == 'c'" }],
    },
  },
  {
    reason: 'a failing variable',
    spec: {
      variables: [{ name: 'broken', expression: 'object.data.missing' }],
      validations: [{ expression: "variables.broken == 'c'" }],
    },
    expectedMessage:
      'expression resulted in error: composited variable "broken" fails to evaluate: No such key: missing',
  },
  {
    reason: 'all properties of the request',
    spec: {
      validations: [
        {
          expression: [
            "request.kind == {'group': '', 'version': 'v1', 'kind': 'ConfigMap'}",
            'request.requestKind == request.kind',
            "request.requestResource.resource == 'configmaps'",
            "request.requestSubResource == ''",
            "request.userInfo.groups.exists(g, g == 'system:masters')",
            "request.userInfo.uid == '' && size(request.userInfo.extra) == 0",
            "request.options.kind == 'CreateOptions'",
            '!request.dryRun',
          ].join(' && '),
        },
      ],
    },
  },
  {
    reason: 'a missing field, with failures counted',
    spec: { validations: [{ expression: 'object.data.missing == 1' }] },
    expectedMessage: 'expression resulted in error: ',
  },
  {
    reason: 'a missing field, with failures ignored',
    spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.missing == 1' }] },
  },
  {
    reason: 'another resource',
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }],
      },
      validations: [{ expression: 'false' }],
    },
  },
  {
    reason: 'a namespace selector that does not match',
    spec: { validations: [{ expression: 'false' }] },
    binding: { matchResources: { namespaceSelector: { matchLabels: { kept: 'true' } } } },
  },
  {
    reason: 'an excluded resource',
    spec: {
      matchConstraints: {
        ...CONFIG_MAPS,
        excludeResourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resourceNames: ['some'] }],
      },
      validations: [{ expression: 'false' }],
    },
  },
  {
    reason: 'a rule that loops forever',
    spec: {
      validations: [
        {
          expression:
            "'1234567890'.split('').all(a, '1234567890'.split('').all(b, '1234567890'.split('').all(c, '1234567890'.split('').all(d, '1234567890'.split('').all(e, '1234567890'.split('').all(f, '1234567890'.split('').all(g, a != 'x')))))))",
        },
      ],
    },
    expectedMessage: 'expression resulted in error: operation cancelled: actual cost limit exceeded',
  },
])('a policy with $reason returns: $expectedMessage', async ({ spec, binding, expectedMessage }) => {
  await using cluster = await withPolicy(spec, binding);

  const response = await responseOf(create(cluster));

  expect(response.slice(0, `422 Invalid ${DENIED}${expectedMessage}`.length)).toBe(
    expectedMessage === undefined ? '' : `422 Invalid ${DENIED}${expectedMessage}`,
  );
});

/** The error that the server returns; empty if it accepts the request. */
async function responseOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return '';
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.code} ${error.reason} ${error.message}`;
  }
}

test.each([
  { reason: 'Forbidden', code: 403 },
  { reason: 'RequestEntityTooLarge', code: 413 },
])('a policy may reject with $reason', async ({ reason, code }) => {
  await using cluster = await withPolicy({ validations: [{ expression: 'false', reason }] });

  await expect(create(cluster)).rejects.toMatchObject({ code, reason });
});

test.each([
  // The client is in system:masters.
  { expression: "authorizer.path('/x').check('get').allowed()", code: 201 },
  { expression: "authorizer.requestResource.check('approve').allowed()", code: 201 },
  { expression: "authorizer.serviceAccount('default', 'a').path('/x').check('get').allowed()", code: 422 },
])('a policy may check user permissions: $expression', async ({ expression, code }) => {
  await using cluster = await withPolicy({ validations: [{ expression }] });
  const outcome = create(cluster).then(
    () => 201,
    (error: unknown) => isApiError(error, 'Invalid') && error.code,
  );

  expect(await outcome).toBe(code);
});

test('a policy may check two permissions per expression, as checks are expensive for the server', async () => {
  const question = "authorizer.path('/x').check('get').allowed()";
  await using cluster = await withPolicy({
    validations: [{ expression: `${question} && ${question} && ${question}` }],
  });

  await expect(create(cluster)).rejects.toThrow('actual cost limit exceeded');
});

test('rejects a policy that uses an unknown name', async () => {
  await expect(withPolicy({ validations: [{ expression: "oracle.ask('x')" }] })).rejects.toThrow(
    `spec.validations[0].expression: Invalid value: "oracle.ask('x')": compilation failed: ERROR: <input>:1:1: undeclared reference to 'oracle'`,
  );
});

test('an invalid policy from an earlier version warns and rejects nothing', async () => {
  await using cluster = await withPolicy({ validations: [{ expression: 'false' }] });
  const bucket = 'validatingadmissionpolicies.admissionregistration.k8s.io';
  const stored = cluster.store.get(bucket, 'rule');
  await cluster.store.write({
    bucket,
    key: 'rule',
    expected: stored,
    encode: () => ({ text: stored?.text.replace('"expression":"false"', '"expression":"oracle.ask()"') ?? '' }),
  });

  await expect(create(cluster)).resolves.toMatchObject({ metadata: { name: 'some' } });
  await cluster.client
    .resource(ValidatingAdmissionPolicies)
    .patch('rule', { type: 'merge', value: { metadata: { labels: { known: 'yes' } } } });
});

test('a policy that rejects everything can be deleted, and changes apply immediately', async () => {
  const matchConstraints = {
    resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  };
  await using cluster = await withPolicy({ matchConstraints, validations: [{ expression: 'false' }] });
  const policies = cluster.client.resource(ValidatingAdmissionPolicies);

  await expect(cluster.client.resource(Namespaces).create({ metadata: { name: 'x' }, spec: {} })).rejects.toThrow(
    'denied',
  );
  const value = { spec: { validations: [{ expression: "has(object.data) && object.data.a == 'b'" }] } };
  await policies.patch('rule', { type: 'merge', value });
  await create(cluster);
  await policies.delete('rule');
  await cluster.client.resource(Namespaces).create({ metadata: { name: 'x' }, spec: {} });
});

const PARAMETERIZED: PolicySpec = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  matchConstraints: {
    ...CONFIG_MAPS,
    excludeResourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resourceNames: ['limit-b', 'limit-c'] }],
  },
  validations: [{ expression: 'object.data.a == params.data.a', messageExpression: "'a must be ' + params.data.a" }],
};

test.each<{ reason: string; paramRef?: ParamRef; data?: string; expectedMessage?: string; spec?: Partial<PolicySpec> }>(
  [
    { reason: 'a matching parameter', paramRef: { name: 'limit-b', parameterNotFoundAction: 'Deny' } },
    {
      reason: 'a parameter that is violated',
      paramRef: { name: 'limit-c', parameterNotFoundAction: 'Deny' },
      expectedMessage: 'a must be c',
    },
    {
      reason: 'several parameters, one of them violated',
      paramRef: { selector: { matchLabels: { limit: 'yes' } }, parameterNotFoundAction: 'Deny' },
      expectedMessage: 'a must be c',
    },
    {
      reason: 'a missing parameter',
      paramRef: { name: 'none', parameterNotFoundAction: 'Deny' },
      expectedMessage:
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    },
    { reason: 'an optional parameter that is missing', paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } },
    {
      reason: 'parameters of a kind that does not exist',
      spec: { paramKind: { apiVersion: 'example.org/v1', kind: 'Limit' } },
      paramRef: { name: 'limit-b', parameterNotFoundAction: 'Allow' },
      expectedMessage: `failed to configure binding: failed to find resource referenced by paramKind: 'example.org/v1, Kind=Limit'`,
    },
  ],
)('a policy with $reason returns: $expectedMessage', async ({ paramRef, expectedMessage, spec }) => {
  await using cluster = await withPolicy({ ...PARAMETERIZED, ...spec }, { ...(paramRef && { paramRef }) });
  const configMaps = cluster.client.resource(ConfigMaps);
  const labels = { limit: 'yes' };
  for (const a of ['b', 'c']) {
    const limit = { metadata: { name: `limit-${a}`, namespace: 'default', labels }, data: { a } };
    await configMaps.create(limit);
  }

  expect(await responseOf(create(cluster))).toBe(
    expectedMessage === undefined ? '' : `422 Invalid ${DENIED}${expectedMessage}`,
  );
});
