import { ConfigMaps, Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const merge = { 'content-type': 'application/merge-patch+json' };

/** Behaviour that spans objects: access, accounts, owners, namespaces, budgets. */
describeServers('a cluster', (server, target) => {
  let namespace: string;
  let core: string;

  beforeAll(async () => {
    namespace = await server().namespace();
    core = `/api/v1/namespaces/${namespace}`;
  });

  it('denies a request that no role allows, with upstream’s message, and allows it once a role does', async () => {
    const jane = await server().as('jane', ['devs']);
    const denied = await server().refusal('GET', `${core}/configmaps`, {}, jane);
    const rbac = `${RBAC}/namespaces/${namespace}`;
    await server().raw('POST', `${rbac}/roles`, {
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
      },
    });
    await server().raw('POST', `${rbac}/rolebindings`, {
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'devs-read' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
      },
    });

    await expect.poll(async () => (await server().raw('GET', `${core}/configmaps`, {}, jane)).status).toBe(200);
    expect(denied).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
      details: { kind: 'configmaps' },
    });
    const write = await server().refusal('DELETE', `${core}/configmaps/any`, {}, jane);
    expect(write.message).toBe(
      `configmaps "any" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    const path = await server().refusal('GET', '/metrics-of-nothing', {}, jane);
    expect(path.message).toBe('forbidden: User "jane" cannot get path "/metrics-of-nothing"');
  });

  it('does not let users grant permissions that they lack', async () => {
    const user = server().name('granter');
    await server().raw('POST', `${RBAC}/clusterrolebindings`, {
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: user },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
    });
    const grantingUser = await server().as(user);
    const path = `${RBAC}/namespaces/${namespace}/roles`;
    await expect.poll(async () => (await server().raw('GET', path, {}, grantingUser)).status).toBe(200);

    const refused = await server().refusal(
      'POST',
      path,
      {
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'too-much' },
          rules: [{ apiGroups: ['example.com'], resources: ['secrets'], verbs: ['get'] }],
        },
      },
      grantingUser,
    );

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toMatch(
      new RegExp(
        `^roles\\.rbac\\.authorization\\.k8s\\.io "too-much" is forbidden: user "${user}" \\(groups=\\["system:authenticated"\\]\\) ` +
          'is attempting to grant RBAC permissions not currently held:\\n' +
          '\\{APIGroups:\\["example\\.com"\\], Resources:\\["secrets"\\], Verbs:\\["get"\\]\\}',
      ),
    );
  });

  it('responds to access reviews', async () => {
    const review = async (user: string, verb: string) => {
      const { json } = await server().raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user, groups: ['system:authenticated'], resourceAttributes: { verb, resource: 'pods', namespace } },
        },
      });
      return json.status.allowed;
    };

    expect([await review('nobody', 'list'), await review('system:kube-scheduler', 'list')]).toEqual([false, true]);
  });

  it('accepts tokens of an account until it is deleted', async () => {
    await server().raw('POST', `${core}/serviceaccounts`, {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    });
    const { json, status } = await server().raw('POST', `${core}/serviceaccounts/robot/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
    });
    const serviceAccountClient = server().withToken(String(json.status.token));
    const path = `${core}/configmaps`;
    const denied = await server().refusal('GET', path, {}, serviceAccountClient);

    expect(status).toBe(201);
    expect(denied.message).toContain(
      `User "system:serviceaccount:${namespace}:robot" cannot list resource "configmaps"`,
    );
    await server().raw('DELETE', `${core}/serviceaccounts/robot`);
    await expect.poll(async () => (await server().raw('GET', path, {}, serviceAccountClient)).status).toBe(401);
  });

  it('refuses a token with an invalid signature', async () => {
    const status = await server().refusal('GET', '/api/v1/nodes', {}, server().withToken('nonsense'));

    expect(status).toMatchObject({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
  });

  it.each([
    ['Background', false],
    ['Foreground', false],
    ['Orphan', true],
  ])('keeps dependents after a deletion with %s: %s', async (propagationPolicy, stays) => {
    const owner = server().name('owner');
    const dependent = server().name('dependent');
    const make = (name: string, metadata: object = {}) =>
      server().raw('POST', `${core}/configmaps`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } },
      });
    const { json } = await make(owner);
    const { uid } = json.metadata;
    await make(dependent, {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true }],
    });

    await server().raw('DELETE', `${core}/configmaps/${owner}`, { body: { propagationPolicy } });

    const maps = server().client.resource(ConfigMaps);
    await eventuallyDeleted(maps, { namespace, name: owner });
    await expect
      .poll(async () => (await server().raw('GET', `${core}/configmaps/${dependent}`)).status)
      .toBe(stays ? 200 : 404);
    const remaining = await server().raw('GET', `${core}/configmaps?fieldSelector=metadata.name%3D${dependent}`);
    expect(remaining.json.items.flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
  });

  it('deletes a namespace with its content, and refuses to create objects in it in the meantime', async () => {
    const name = await server().namespace();
    const path = `/api/v1/namespaces/${name}`;
    const content = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    };
    await server().raw('POST', `${path}/configmaps`, { body: content });

    const { json: terminating } = await server().raw('DELETE', path);
    const late = await server().refusal('POST', `${path}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
    });
    const namespaces = server().client.resource(Namespaces);
    await eventuallyObject(namespaces, { name }, ({ status }) => {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
        }),
      );
      return true;
    });
    await server().raw('PATCH', `${path}/configmaps/held`, {
      headers: merge,
      body: { metadata: { finalizers: null } },
    });

    await eventuallyDeleted(namespaces, { name });
    expect(terminating.status.phase).toBe('Terminating');
    expect(late).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
  });

  it.runIf(target.minor >= 25)('defers an eviction that a budget forbids', async () => {
    const pods = server().client.resource(Pods);
    const labels = { app: 'guarded' };
    await server()
      .client.resource(PodDisruptionBudgets)
      .create({
        metadata: { name: 'guard', namespace },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
    await pods.create({
      metadata: { name: 'guarded', namespace, labels },
      spec: { nodeName: 'nowhere', containers: [{ name: 'main', image: 'busybox' }] },
    });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await pods.patch('guarded', { type: 'merge', value: { status } }, { namespace, subresource: 'status' });
    await eventuallyObject(
      server().client.resource(PodDisruptionBudgets),
      { namespace, name: 'guard' },
      ({ status: budget }) => budget?.currentHealthy === 1 && budget.disruptionsAllowed === 0,
    );
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'guarded', namespace } };

    const refused = await server().refusal('POST', `${core}/pods/guarded/eviction`, { body: eviction });

    expect(refused).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget guard needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    });
    await server().client.resource(PodDisruptionBudgets).delete('guard', { namespace });
    await expect
      .poll(async () => (await server().raw('POST', `${core}/pods/guarded/eviction`, { body: eviction })).status)
      .toBe(201);
    expect((await pods.get('guarded', { namespace })).metadata.deletionTimestamp).toBeDefined();
    await pods.delete('guarded', { namespace, gracePeriodSeconds: 0 });
  });

  it('serves, defaults, prunes and validates the kind of a CustomResourceDefinition', async () => {
    const group = `${server().name('g')}.example.com`;
    await server().raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definitionOf(group, target.minor >= 25),
    });
    const path = `/apis/${group}/v1/namespaces/${namespace}/pools`;
    await expect.poll(async () => (await server().raw('GET', path)).status).toBe(200);
    const pool = (name: string, spec: object) => ({
      body: { apiVersion: `${group}/v1`, kind: 'Pool', metadata: { name }, spec, status: { ready: 9 } },
    });

    const created = await server().raw('POST', path, pool('a', { flavor: 'b3-8', odd: true }));
    const wrong = await server().refusal('POST', path, pool('b', { flavor: 7, replicas: 99 }));
    const scaled = await server().raw('PATCH', `${path}/a/scale`, { headers: merge, body: { spec: { replicas: 5 } } });
    const response = await server().raw('PATCH', `${path}/a/status`, {
      headers: merge,
      body: { status: { ready: 4 }, spec: { replicas: 1 } },
    });

    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ metadata: { generation: 1 }, spec: { flavor: 'b3-8', replicas: 3 } });
    expect(created.json.spec).not.toHaveProperty('odd');
    expect(created.json).not.toHaveProperty('status');
    expect(wrong).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(wrong.message).toContain(
      'spec.flavor: Invalid value: "integer": spec.flavor in body must be of type string: "integer"',
    );
    expect(wrong.message).toMatch(
      /spec\.replicas: Invalid value: (99|"99"): spec\.replicas in body should be less than or equal to 10/,
    );
    expect(scaled.json).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 0 } });
    expect(response.json).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 }, status: { ready: 4 } });
  });

  it.runIf(target.minor >= 25)('enforces the rules of a CustomResourceDefinition', async () => {
    const group = `${server().name('g')}.example.com`;
    await server().raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definitionOf(group, true),
    });
    const path = `/apis/${group}/v1/namespaces/${namespace}/pools`;
    await expect.poll(async () => (await server().raw('GET', path)).status).toBe(200);
    const body = {
      apiVersion: `${group}/v1`,
      kind: 'Pool',
      metadata: { name: 'a' },
      spec: { flavor: 'b3-8', replicas: 3 },
    };
    await server().raw('POST', path, { body });

    const rejection = await server().refusal('PATCH', `${path}/a`, { headers: merge, body: { spec: { replicas: 2 } } });
    const moved = await server().refusal('PATCH', `${path}/a`, { headers: merge, body: { spec: { flavor: 'c3' } } });

    // Before 1.34 the message contains the type of the value instead of the value.
    const value = target.minor >= 34 ? '2' : '"integer"';
    expect(rejection.message).toBe(
      `Pool.${group} "a" is invalid: spec.replicas: Invalid value: ${value}: a pool only grows`,
    );
    expect(moved.message).toMatch(/^Pool\..* "a" is invalid: spec: Invalid value: .*flavors have a dash$/);
  });
});

function definitionOf(group: string, hasRules: boolean): object {
  const replicas = {
    type: 'integer',
    default: 3,
    maximum: 10,
    ...(hasRules && { 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'a pool only grows' }] }),
  };
  const rule = { rule: "self.flavor.contains('-')", message: 'flavors have a dash' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `pools.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'pools', singular: 'pool', kind: 'Pool', listKind: 'PoolList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['flavor'],
                  properties: { flavor: { type: 'string' }, replicas },
                  ...(hasRules && { 'x-kubernetes-validations': [rule] }),
                },
                status: { type: 'object', properties: { ready: { type: 'integer' }, replicas: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
}
