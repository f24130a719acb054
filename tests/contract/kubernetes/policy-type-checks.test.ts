import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies } from '@fairway/kube/kinds/resources';
import { expect, it, vi } from 'vitest';
import { describeServers } from './targets.ts';

type MatchConstraints = NonNullable<ValidatingAdmissionPolicySpec['matchConstraints']>;

const DEPLOYMENTS: MatchConstraints = {
  resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
};

/**
 * The contents of `status.typeChecking` in policies:
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking.
 */
describeServers('policy type checks', (server, target) => {
  // Policies have been in v1 since 1.30.
  const hasPolicies = target.minor >= 30;
  let created = 0;

  async function warningsOf(spec: ValidatingAdmissionPolicySpec): Promise<readonly ExpressionWarning[]> {
    const name = server().name(`types-${created++}`);
    const policies = server().client.resource(ValidatingAdmissionPolicies);
    await policies.create({ metadata: { name }, spec });
    return vi.waitFor(
      async () => {
        const { status } = await policies.get(name);
        expect(status).toMatchObject({ observedGeneration: 1, typeChecking: expect.any(Object) });
        return status?.typeChecking?.expressionWarnings ?? [];
      },
      { timeout: 300_000, interval: 100 },
    );
  }

  it.skipIf(!hasPolicies)('report no warnings for a well-typed expression', async () => {
    const validations = [
      {
        expression: [
          'object.spec.replicas > 1',
          "object.spec.template.spec.containers.all(c, c.image.startsWith('x') && has(c.ports))",
          "(oldObject == null || object.metadata.labels['a'] in ['b'])",
          "request.userInfo.groups.exists(g, g == 'a') && namespaceObject.metadata.name != ''",
        ].join(' && '),
        messageExpression: "'got ' + string(object.spec.replicas)",
      },
    ];

    expect(await warningsOf({ failurePolicy: 'Fail', matchConstraints: DEPLOYMENTS, validations })).toEqual([]);
  });

  interface ExpressionError {
    readonly expression: string;
    /** Counted from 1. */
    readonly column: number;
    readonly expectedMessage: string;
  }

  it.skipIf(!hasPolicies).each<ExpressionError>([
    {
      expression: "object.spec.replicas > '1'",
      column: 22,
      expectedMessage: "found no matching overload for '_>_' applied to '(int, string)'",
    },
    { expression: 'object.replicas > 1', column: 7, expectedMessage: "undefined field 'replicas'" },
    { expression: 'has(object.spec.replica)', column: 4, expectedMessage: "undefined field 'replica'" },
    {
      expression: 'object.spec.template.spec.containers.all(c, c.port == 1)',
      column: 46,
      expectedMessage: "undefined field 'port'",
    },
    {
      expression: "object.spec.replicas in ['1']",
      column: 22,
      expectedMessage: "found no matching overload for '@in' applied to '(int, list(string))'",
    },
    {
      expression: '!object.spec.replicas',
      column: 1,
      expectedMessage: "found no matching overload for '!_' applied to '(int)'",
    },
    {
      expression: "object.spec.replicas.startsWith('a')",
      column: 32,
      expectedMessage: "found no matching overload for 'startsWith' applied to 'int.(string)'",
    },
    {
      expression: "object.metadata.labels[1] == 'a'",
      column: 23,
      expectedMessage: "found no matching overload for '_[_]' applied to '(map(string, string), int)'",
    },
    {
      expression: 'object.spec.replicas == null',
      column: 22,
      expectedMessage: "found no matching overload for '_==_' applied to '(int, null)'",
    },
    {
      expression: "(object.spec.paused ? object.spec.replicas : 'a') == 1",
      column: 21,
      expectedMessage: "found no matching overload for '_?_:_' applied to '(bool, int, string)'",
    },
    { expression: 'params.spec.max == 1', column: 7, expectedMessage: "undefined field 'spec'" },
    {
      expression: "variables.replicas == 'a'",
      column: 20,
      expectedMessage: "found no matching overload for '_==_' applied to '(int, string)'",
    },
  ])('$expression: $expectedMessage', async ({ expression, column, expectedMessage }) => {
    const warnings = await warningsOf({
      failurePolicy: 'Fail',
      matchConstraints: DEPLOYMENTS,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
      validations: [{ expression }],
    });

    const mark = `${'.'.repeat(column - 1)}^`;
    const warning = `apps/v1, Kind=Deployment: ERROR: <input>:1:${column}: ${expectedMessage}\n | ${expression}\n | ${mark}\n`;
    expect(warnings).toEqual([{ fieldRef: 'spec.validations[0].expression', warning }]);
  });

  it.skipIf(!hasPolicies)('report two mistakes on two lines in order', async () => {
    const [first] = await warningsOf({
      failurePolicy: 'Fail',
      matchConstraints: DEPLOYMENTS,
      validations: [{ expression: 'object.a == 1 &&\n  object.b == 2' }],
    });

    expect(first?.warning).toBe(
      [
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'a'",
        ' | object.a == 1 &&',
        ' | ......^',
        "ERROR: <input>:2:9: undefined field 'b'",
        ' |   object.b == 2',
        ' | ........^',
        '',
      ].join('\n'),
    );
  });
});
