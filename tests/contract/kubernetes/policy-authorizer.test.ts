import type { Transport } from '@fairway/kube/client/transport';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from '@fairway/kube/kinds/resources';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

/**
 * The `authorizer` variable in policy expressions:
 * https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library.
 */
describeServers('the policy authorizer', (server, target) => {
  const hasPolicies = target.minor >= 31;
  let namespace: string;
  let alice: Transport;

  beforeAll(async () => {
    namespace = await server().namespace();
    alice = await server().as('alice', ['team']);
    const name = server().name('alice');
    await server()
      .client.resource(ClusterRoles)
      .create({
        metadata: { name },
        rules: [
          { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'approve'] },
          { apiGroups: ['apps'], resources: ['deployments/scale'], resourceNames: ['web'], verbs: ['update'] },
          { nonResourceURLs: ['/reports/*'], verbs: ['get'] },
        ],
      });
    await server()
      .client.resource(ClusterRoleBindings)
      .create({
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [
          { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' },
          { kind: 'ServiceAccount', name: 'builder', namespace },
        ],
      });
  });

  /** The result of creating a ConfigMap as alice if `expression` must be true: 201, or the message. */
  async function outcomeOf(expression: string): Promise<string> {
    const name = server().name('asks');
    const { client } = server();
    await client.resource(ValidatingAdmissionPolicies).create({
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          objectSelector: { matchLabels: { policy: name } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        validations: [
          { expression: '!has(object.metadata.labels.canary)', message: 'seen' },
          { expression, messageExpression: "'no'" },
        ],
      },
    });
    await client
      .resource(ValidatingAdmissionPolicyBindings)
      .create({ metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
    const create = async (labels: Record<string, string>) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { policy: name, ...labels } } };
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
      const { status, json } = await server().raw('POST', path, { body }, alice);
      return status === 201 ? '201' : String(json['message']);
    };
    await expect.poll(() => create({ canary: 'yes' })).toContain('seen');
    const outcome = await create({});
    await client.resource(ValidatingAdmissionPolicyBindings).delete(name);
    await client.resource(ValidatingAdmissionPolicies).delete(name);
    return outcome;
  }

  const cases: readonly (readonly [string, string])[] = [
    ["authorizer.requestResource.check('approve').allowed()", '201'],
    ["authorizer.requestResource.check('delete').allowed()", 'no'],
    ["authorizer.requestResource.name('other').namespace('elsewhere').check('approve').allowed()", '201'],
    ["authorizer.group('').resource('configmaps').namespace('x').check('approve').allowed()", '201'],
    ["authorizer.group('').resource('configmaps').subresource('status').check('approve').allowed()", 'no'],
    [
      "authorizer.group('apps').resource('deployments').subresource('scale').name('web').check('update').allowed()",
      '201',
    ],
    [
      "authorizer.group('apps').resource('deployments').subresource('scale').name('db').check('update').allowed()",
      'no',
    ],
    [
      "authorizer.group('').resource('configmaps').fieldSelector('a=b').labelSelector('c').check('approve').allowed()",
      '201',
    ],
    ["authorizer.path('/reports/today').check('get').allowed()", '201'],
    ["authorizer.path('/reports').check('get').allowed()", 'no'],
    ["authorizer.path('/reports/today').check('get').reason().contains('allowed by ClusterRoleBinding')", '201'],
    ["!authorizer.path('/x').check('get').errored() && authorizer.path('/x').check('get').error() == ''", '201'],
    ["authorizer.serviceAccount('NAMESPACE', 'builder').path('/reports/a').check('get').allowed()", '201'],
    ["authorizer.serviceAccount('NAMESPACE', 'tester').path('/reports/a').check('get').allowed()", 'no'],
    ["authorizer.path('').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('A', 'b').path('/a').check('get').allowed()", 'Invalid service account namespace'],
    [
      "authorizer.path('/reports/a').check('get').allowed() && authorizer.path('/reports/b').check('get').allowed() && authorizer.path('/reports/c').check('get').allowed()",
      'cost limit exceeded',
    ],
  ];

  // 1.31 supports no selectors, and allows three checks.
  const isNewer = ([expression]: readonly [string, string]) => /fieldSelector|\/reports\/c/.test(expression);
  const isServed = (each: readonly [string, string]) => hasPolicies && (target.minor >= 34 || !isNewer(each));

  it.skipIf(true).for(cases.filter((each) => !isServed(each)))('%s (skipped: not before 1.34)', () =>
    expect(target.minor).toBeGreaterThanOrEqual(34),
  );

  it.for(cases.filter(isServed))('%s: %s', async ([expression, expectedMessage]) => {
    expect(await outcomeOf(expression.replace('NAMESPACE', namespace))).toContain(expectedMessage);
  });
});
