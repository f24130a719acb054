import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';

type Spec = ValidatingAdmissionPolicy['spec'];

const DEPLOYMENTS: Spec['matchConstraints'] = {
  resourceRules: [
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
  ],
};
const CRONTABS: Spec['matchConstraints'] = {
  resourceRules: [
    { apiGroups: ['stable.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['crontabs'] },
  ],
};

function crontabs(fields: Readonly<Record<string, { type: 'integer' | 'string' }>>): CustomResourceDefinition {
  return {
    metadata: { name: 'crontabs.stable.example.com' },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } } },
        },
      ],
    },
  };
}

/** The policy once its `generation` has been checked and `isDone` is true. */
async function checked(
  { client, clock }: TestCluster,
  isDone: (warnings: readonly ExpressionWarning[]) => boolean = () => true,
  generation = 1,
): Promise<ValidatingAdmissionPolicy> {
  for (;;) {
    const policy = await client.resource(ValidatingAdmissionPolicies).get('rule');
    const { observedGeneration = 0, typeChecking } = policy.status ?? {};
    if (observedGeneration >= generation && typeChecking && isDone(typeChecking.expressionWarnings ?? []))
      return policy;
    await clock.advance(10);
  }
}

async function create({ client }: TestCluster, spec: Spec): Promise<void> {
  await client.resource(ValidatingAdmissionPolicies).create({ metadata: { name: 'rule' }, spec });
}

// From Kubernetes' own tests: "should type check validation expressions".
test('a well-typed policy gets no warnings', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await create(cluster, { matchConstraints: DEPLOYMENTS, validations: [{ expression: 'object.spec.replicas > 1' }] });

  const { status } = await checked(cluster);

  expect(status).toEqual({ observedGeneration: 1, typeChecking: {} });
});

test('a policy with type errors gets a warning for each expression', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await create(cluster, {
    matchConstraints: DEPLOYMENTS,
    validations: [
      {
        expression: "object.spec.replicas > '1'",
        messageExpression: "'wants replicas > 1, got ' + object.spec.replicas",
      },
    ],
  });

  const { status } = await checked(cluster);

  expect(status?.typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n",
    },
    {
      fieldRef: 'spec.validations[0].messageExpression',
      warning: expect.stringContaining("found no matching overload for '_+_' applied to '(string, int)'"),
    },
  ]);
});

// "should type check a CRD".
test('a policy on custom resources is checked, and checked again when their definition changes', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const definitions = cluster.client.resource(CustomResourceDefinitions);
  await definitions.create(crontabs({ replicas: { type: 'integer' } }));
  await create(cluster, {
    matchConstraints: CRONTABS,
    validations: [{ expression: "object.spec.replicas > '1'" }, { expression: 'object.spec.maxRetries < 10' }],
  });

  const before = await checked(cluster, (warnings) => warnings.length > 0);
  expect(before.status?.typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning: expect.stringContaining("found no matching overload for '_>_' applied to '(int, string)'"),
    },
    { fieldRef: 'spec.validations[1].expression', warning: expect.stringContaining("undefined field 'maxRetries'") },
  ]);

  const value = crontabs({ replicas: { type: 'string' }, maxRetries: { type: 'integer' } });
  await definitions.patch('crontabs.stable.example.com', { type: 'merge', value });
  const after = await checked(cluster, (warnings) => warnings.length === 0);
  expect(after.status).toEqual({ observedGeneration: 1, typeChecking: {} });
});

test('a policy on a missing kind is checked once the kind exists', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await create(cluster, { matchConstraints: CRONTABS, validations: [{ expression: 'object.spec.maxRetries < 10' }] });
  expect((await checked(cluster)).status?.typeChecking).toEqual({});

  await cluster.client.resource(CustomResourceDefinitions).create(crontabs({ replicas: { type: 'integer' } }));

  const { status } = await checked(cluster, (warnings) => warnings.length > 0);
  expect(status?.typeChecking?.expressionWarnings?.[0]?.warning).toMatch(
    /^stable.example.com\/v1, Kind=CronTab: ERROR: <input>:1:12: undefined field 'maxRetries'/,
  );
});

test.each<{ reason: string; spec: Spec; warnings: readonly string[] }>([
  {
    reason: 'variables have the types of their expressions',
    spec: {
      matchConstraints: DEPLOYMENTS,
      variables: [
        { name: 'replicas', expression: 'object.spec.replicas' },
        { name: 'isOdd', expression: 'variables.replicas % 2 == 1' },
      ],
      validations: [{ expression: 'variables.isOdd' }, { expression: "variables.replicas == 'a'" }],
    },
    warnings: ["'_==_' applied to '(int, string)'"],
  },
  {
    reason: 'parameters have the type of their kind',
    spec: {
      matchConstraints: DEPLOYMENTS,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'object.spec.replicas < params.data.max' }, { expression: 'params.spec == null' }],
    },
    warnings: ["'_<_' applied to '(int, string)'", "undefined field 'spec'"],
  },
  {
    reason: 'parameters of a missing kind have any type',
    spec: {
      matchConstraints: DEPLOYMENTS,
      paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
      validations: [{ expression: 'object.spec.replicas < params.max' }],
    },
    warnings: [],
  },
  {
    reason: 'rules with wildcards do not name any kinds',
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['*'], operations: ['*'], resources: ['deployments'] },
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['*', 'deployments/scale'] },
        ],
      },
      validations: [{ expression: 'object.nothing == 1' }],
    },
    warnings: [],
  },
])('$reason', async ({ spec, warnings }) => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await create(cluster, spec);

  const { status } = await checked(cluster);

  expect(status?.typeChecking?.expressionWarnings?.map(({ warning }) => warning) ?? []).toEqual(
    warnings.map((words) => expect.stringContaining(words)),
  );
});

test('each kind in a policy gets its own warnings, and at most ten kinds are checked', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  const resources = ['pods', 'services', 'secrets', 'configmaps', 'nodes', 'namespaces', 'endpoints', 'events'];
  const rules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources },
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      operations: ['*'],
      resources: ['deployments', 'daemonsets', 'replicasets'],
    },
  ];
  await create(cluster, {
    matchConstraints: { resourceRules: rules },
    validations: [{ expression: 'object.nothing == 1' }],
  });

  const { status } = await checked(cluster);

  const [first] = status?.typeChecking?.expressionWarnings ?? [];
  const kinds = [...(first?.warning ?? '').matchAll(/^(\S+, Kind=\w+): ERROR/gm)].map(([, kind]) => kind);
  expect(kinds).toHaveLength(10);
  expect(kinds.slice(0, 2)).toEqual(['/v1, Kind=ConfigMap', '/v1, Kind=Endpoints']);
});

test('checks a changed policy again, and never writes the same result twice', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await create(cluster, { matchConstraints: DEPLOYMENTS, validations: [{ expression: 'object.spec.replica > 1' }] });
  await checked(cluster, (warnings) => warnings.length === 1);

  const policies = cluster.client.resource(ValidatingAdmissionPolicies);
  await policies.patch('rule', {
    type: 'merge',
    value: { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } },
  });
  const { metadata, status } = await checked(cluster, () => true, 2);

  expect(status).toEqual({ observedGeneration: 2, typeChecking: {} });
  await cluster.client.resource(CustomResourceDefinitions).create(crontabs({}));
  await cluster.clock.advance(60_000);
  expect((await policies.get('rule')).metadata.resourceVersion).toBe(metadata.resourceVersion);
});
