import { API_VERSION } from '@fairway/api/group';
import type { TransportRequest } from '@fairway/kube/client/transport';
import {
  ClusterRoleBindings,
  ClusterRoles,
  Namespaces,
  RoleBindings,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManagementGateway } from '../../management/management-gateway.ts';
import { ManagementCluster } from '../../testing/management-cluster.ts';
import { type Identity, openGateway, sendAs } from '../../testing/open-gateway.ts';

const RED = 'red';
const RBAC = 'rbac.authorization.k8s.io';

let cluster: ManagementCluster;
let gateway: ManagementGateway;
beforeAll(async () => {
  cluster = await ManagementCluster.start();
  gateway = await openGateway(cluster, 'first');
  await cluster.client.resource(Namespaces).create({ metadata: { name: RED }, spec: {} });
  await cluster.client.resource(ServiceAccounts).create({ metadata: { name: 'robot', namespace: RED } });
  await cluster.client.resource(RoleBindings).create({
    metadata: { name: 'members', namespace: RED },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'fairway-member' },
    subjects: [
      { apiGroup: RBAC, kind: 'User', name: 'jürgen' },
      { kind: 'ServiceAccount', name: 'robot', namespace: RED },
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  await cluster.close();
});

function send(identity: Identity, method: TransportRequest['method'], path: string, more?: Partial<TransportRequest>) {
  return sendAs({ cluster, gateway }, identity, method, path, more);
}

async function robotToken(): Promise<string> {
  const request: KubeObject & { spec: object; status?: { token: string } } = { metadata: {}, spec: {} };
  const accounts = cluster.client.resource(ServiceAccounts);
  const { status } = await accounts.createSubresource('robot', 'token', request, { namespace: RED });
  return status?.token ?? '';
}

const CLUSTERS = `/apis/${API_VERSION}/namespaces/${RED}/clusters`;
const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };

/** The user that the API server authenticates the caller as. */
async function identityOf(identity: Identity) {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const rawResponse = await send(identity, 'POST', path, { body: JSON.stringify(REVIEW) });
  return (rawResponse.json() as unknown as { status: { userInfo: { username: string; groups: string[] } } }).status
    .userInfo;
}

describe('a caller', () => {
  test('is the user in its certificate, with its groups, in any script', async () => {
    const user = await identityOf({ user: 'jürgen', groups: ['devs', 'ö'] });

    expect(user).toMatchObject({ username: 'jürgen', groups: ['devs', 'ö', 'system:authenticated'] });
    expect((await send({ user: 'jürgen' }, 'GET', CLUSTERS)).status).toBe(200);
  });

  test('is the user that the API server reports for its token, with uid', async () => {
    const user = await identityOf({ token: await robotToken() });

    expect(user).toMatchObject({
      username: 'system:serviceaccount:red:robot',
      uid: expect.stringMatching(/./),
      groups: expect.arrayContaining(['system:serviceaccounts:red']),
    });
  });

  test.each<[string, Identity]>([
    ['nothing', undefined],
    ['an unknown token', { token: 'made-up' }],
  ])('gets a Status with the reason for %s', async (_, identity) => {
    const rawResponse = await send(identity, 'GET', CLUSTERS);

    expect(rawResponse.status).toBe(401);
    expect(rawResponse.json()).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401 });
  });

  test('gets the API server’s error if it lacks permission', async () => {
    const { status, json } = await send({ user: 'bob' }, 'GET', CLUSTERS);

    expect(status).toBe(403);
    expect(json().message).toBe(
      'clusters.fairway.dev is forbidden: User "bob" cannot list resource "clusters" in API group "fairway.dev" in the namespace "red"',
    );
  });

  test('can impersonate only if it has permission', async () => {
    const asJuergen = { 'impersonate-user': Buffer.from('jürgen').toString('latin1') };
    const refused = await send({ user: 'bob' }, 'GET', CLUSTERS, { headers: asJuergen });

    expect(refused.status).toBe(403);
    expect(refused.json().message).toContain('User "bob" cannot impersonate resource "users"');
    const root = { user: 'root', groups: ['system:masters'] };
    expect((await send(root, 'GET', CLUSTERS, { headers: asJuergen })).status).toBe(200);
    const elsewhere = await send(root, 'GET', CLUSTERS.replace(RED, 'blue'), { headers: asJuergen });
    expect(elsewhere.json().message).toContain('User "jürgen" cannot list resource "clusters"');
  });

  test('receives its own audit ID', async () => {
    const headers = { 'audit-id': '3f0c7f55-0000-4000-8000-000000000000' };

    expect((await send({ user: 'bob' }, 'GET', CLUSTERS, { headers })).headers['audit-id']).toBe(headers['audit-id']);
    expect((await send(undefined, 'GET', CLUSTERS, { headers })).headers['audit-id']).toBe(headers['audit-id']);
    expect((await send({ user: 'bob' }, 'GET', '/apis')).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('discovery', () => {
  test.each([
    'application/json',
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9',
  ])('lists all forwarded groups as %s, and returns 304 if nothing changed', async (accept) => {
    const first = await send({ user: 'bob' }, 'GET', '/apis', { headers: { accept } });
    const etag = first.headers['etag'] ?? '';
    const cachedResponse = await send({ user: 'bob' }, 'GET', '/apis', {
      headers: { accept, 'if-none-match': etag },
    });

    expect(first.body).toContain('fairway.dev');
    expect(first.body).not.toContain('"certificates.k8s.io"');
    expect([cachedResponse.status, cachedResponse.body]).toEqual([304, '']);
  });

  test('is only available as JSON', async () => {
    const headers = { accept: 'application/vnd.kubernetes.protobuf' };

    expect((await send({ user: 'bob' }, 'GET', '/apis', { headers })).status).toBe(406);
  });

  test('lists clusters/kubeconfig', async () => {
    const { body } = await send({ user: 'bob' }, 'GET', `/apis/${API_VERSION}`);

    expect(body).toContain('{"name":"clusters/kubeconfig"');
  });
});

describe("the gateway's own paths", () => {
  test.each(['/healthz', '/livez', '/readyz', '/readyz/api-server'])('%s is open to everyone', async (path) => {
    expect(await send(undefined, 'GET', path)).toMatchObject({ status: 200, body: 'ok' });
  });

  test('/metrics requires permission to read it', async () => {
    expect((await send({ user: 'bob' }, 'GET', '/metrics')).status).toBe(403);
    await cluster.client.resource(ClusterRoles).create({
      metadata: { name: 'metrics' },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    });
    await cluster.client.resource(ClusterRoleBindings).create({
      metadata: { name: 'metrics' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'metrics' },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'bob' }],
    });

    expect(await send({ user: 'bob' }, 'GET', '/metrics')).toMatchObject({ status: 200, body: 'up 1\n' });
  });

  test('clusters/kubeconfig supports one verb', async () => {
    expect((await send({ user: 'jürgen' }, 'GET', `${CLUSTERS}/demo/kubeconfig`)).status).toBe(403);
    expect(
      (await send({ user: 'root', groups: ['system:masters'] }, 'GET', `${CLUSTERS}/demo/kubeconfig`)).status,
    ).toBe(405);
  });
});
