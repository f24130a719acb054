import { API_VERSION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { ConfiguredClouds } from '@fairway/controllers/cloud/configured-clouds';
import { ClusterCredentials } from '@fairway/controllers/cluster/credentials';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { systemClock } from '@fairway/kube/clock';
import {
  ClusterRoleBindings,
  ClusterRoles,
  Namespaces,
  RoleBindings,
  Secrets,
  ServiceAccounts,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { silentLogger } from '@fairway/kube/log';
import type { Status } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManagementCluster } from '../testing/management-cluster.ts';
import { WEBHOOK_NAME } from '../webhook/webhook-configuration.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { createGatewayRoots, ROOTS_SECRET, rootsSecret } from './gateway-roots.ts';
import { createManagementGateway, type ManagementGateway } from './management-gateway.ts';

const RED = 'red';
const RBAC = 'rbac.authorization.k8s.io';

let cluster: ManagementCluster;
let gateway: ManagementGateway;
beforeAll(async () => {
  cluster = await ManagementCluster.start();
  gateway = await open('first');
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

async function open(identity: string, webhookUrl?: string): Promise<ManagementGateway> {
  const clouds = new ConfiguredClouds({
    nameOf: () => undefined,
    open: () => undefined,
    credentialOf: () => undefined,
    openAs: () => undefined,
  });
  return createManagementGateway({
    connection: await cluster.connectionAs({ username: 'fairway', groups: ['system:masters'] }),
    client: cluster.client,
    clouds,
    credentials: () => new ClusterCredentials(cluster.client, systemClock),
    host: '127.0.0.1',
    port: 0,
    webhookUrl,
    identity,
    metrics: new GatewayMetrics(new Registry()),
    routes: [
      { path: '/metrics', handle: () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'up 1\n' }) },
    ],
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
}

type Identity = { readonly user: string; readonly groups?: readonly string[] } | { readonly token: string } | undefined;

/** What the gateway says to somebody. */
async function ask(
  identity: Identity,
  method: TransportRequest['method'],
  path: string,
  more: Partial<TransportRequest> = {},
) {
  const certificate =
    identity && 'user' in identity
      ? await cluster.clientCertificate({ username: identity.user, groups: identity.groups ?? [] })
      : undefined;
  const transport = new HttpsTransport({
    server: gateway.url,
    certificateAuthority: gateway.certificateAuthority,
    ...(certificate && { clientCertificate: () => certificate }),
    ...(identity && 'token' in identity && { bearerToken: () => identity.token }),
  });
  const answer = await transport.request({ method, path, ...more });
  const { status, headers } = answer;
  const body = await answer.text();
  transport.close();
  return { status, headers, body, json: () => JSON.parse(body) as KubeObject & Status };
}

async function tokenOfRobot(): Promise<string> {
  const request: KubeObject & { spec: object; status?: { token: string } } = { metadata: {}, spec: {} };
  const accounts = cluster.client.resource(ServiceAccounts);
  const { status } = await accounts.createSubresource('robot', 'token', request, { namespace: RED });
  return status?.token ?? '';
}

const CLUSTERS = `/apis/${API_VERSION}/namespaces/${RED}/clusters`;
const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };

/** Whom the API server takes the caller for. */
async function whoIs(identity: Identity) {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const answer = await ask(identity, 'POST', path, { body: JSON.stringify(REVIEW) });
  return (answer.json() as unknown as { status: { userInfo: { username: string; groups: string[] } } }).status.userInfo;
}

describe('a caller', () => {
  test('with a certificate is who it says, with its groups, in all scripts', async () => {
    const user = await whoIs({ user: 'jürgen', groups: ['devs', 'ö'] });

    expect(user).toMatchObject({ username: 'jürgen', groups: ['devs', 'ö', 'system:authenticated'] });
    expect((await ask({ user: 'jürgen' }, 'GET', CLUSTERS)).status).toBe(200);
  });

  test('with a token is whose the API server says, with uid', async () => {
    const user = await whoIs({ token: await tokenOfRobot() });

    expect(user).toMatchObject({
      username: 'system:serviceaccount:red:robot',
      uid: expect.stringMatching(/./),
      groups: expect.arrayContaining(['system:serviceaccounts:red']),
    });
  });

  test.each<[string, Identity]>([
    ['nothing', undefined],
    ['a token that nobody knows', { token: 'made-up' }],
  ])('with %s is told so, as a Status', async (_, identity) => {
    const answer = await ask(identity, 'GET', CLUSTERS);

    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401 });
  });

  test('without rights hears the words of the API server', async () => {
    const { status, json } = await ask({ user: 'bob' }, 'GET', CLUSTERS);

    expect(status).toBe(403);
    expect(json().message).toBe(
      'clusters.fairway.dev is forbidden: User "bob" cannot list resource "clusters" in API group "fairway.dev" in the namespace "red"',
    );
  });

  test('is somebody else only with the right to be', async () => {
    const asJuergen = { 'impersonate-user': Buffer.from('jürgen').toString('latin1') };
    const refused = await ask({ user: 'bob' }, 'GET', CLUSTERS, { headers: asJuergen });

    expect(refused.status).toBe(403);
    expect(refused.json().message).toContain('User "bob" cannot impersonate resource "users"');
    const root = { user: 'root', groups: ['system:masters'] };
    expect((await ask(root, 'GET', CLUSTERS, { headers: asJuergen })).status).toBe(200);
    const elsewhere = await ask(root, 'GET', CLUSTERS.replace(RED, 'blue'), { headers: asJuergen });
    expect(elsewhere.json().message).toContain('User "jürgen" cannot list resource "clusters"');
  });

  test('finds the audit id that it chose', async () => {
    const headers = { 'audit-id': '3f0c7f55-0000-4000-8000-000000000000' };

    expect((await ask({ user: 'bob' }, 'GET', CLUSTERS, { headers })).headers['audit-id']).toBe(headers['audit-id']);
    expect((await ask(undefined, 'GET', CLUSTERS, { headers })).headers['audit-id']).toBe(headers['audit-id']);
    expect((await ask({ user: 'bob' }, 'GET', '/apis')).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('discovery', () => {
  test.each([
    'application/json',
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9',
  ])('of all groups as %s shows what passes, and says when nothing changed', async (accept) => {
    const first = await ask({ user: 'bob' }, 'GET', '/apis', { headers: { accept } });
    const etag = first.headers['etag'] ?? '';
    const again = await ask({ user: 'bob' }, 'GET', '/apis', { headers: { accept, 'if-none-match': etag } });

    expect(first.body).toContain('fairway.dev');
    expect(first.body).not.toContain('"certificates.k8s.io"');
    expect([again.status, again.body]).toEqual([304, '']);
  });

  test('in another language than JSON is not to be had', async () => {
    const headers = { accept: 'application/vnd.kubernetes.protobuf' };

    expect((await ask({ user: 'bob' }, 'GET', '/apis', { headers })).status).toBe(406);
  });

  test('lists clusters/kubeconfig', async () => {
    const { body } = await ask({ user: 'bob' }, 'GET', `/apis/${API_VERSION}`);

    expect(body).toContain('{"name":"clusters/kubeconfig"');
  });
});

describe("the gateway's own paths", () => {
  test.each(['/healthz', '/livez', '/readyz', '/readyz/api-server'])('%s is for everybody', async (path) => {
    expect(await ask(undefined, 'GET', path)).toMatchObject({ status: 200, body: 'ok' });
  });

  test('/metrics is for who may read it', async () => {
    expect((await ask({ user: 'bob' }, 'GET', '/metrics')).status).toBe(403);
    await cluster.client.resource(ClusterRoles).create({
      metadata: { name: 'metrics' },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    });
    await cluster.client.resource(ClusterRoleBindings).create({
      metadata: { name: 'metrics' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'metrics' },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'bob' }],
    });

    expect(await ask({ user: 'bob' }, 'GET', '/metrics')).toMatchObject({ status: 200, body: 'up 1\n' });
  });

  test('clusters/kubeconfig has one verb', async () => {
    expect((await ask({ user: 'jürgen' }, 'GET', `${CLUSTERS}/demo/kubeconfig`)).status).toBe(403);
    expect((await ask({ user: 'root', groups: ['system:masters'] }, 'GET', `${CLUSTERS}/demo/kubeconfig`)).status).toBe(
      405,
    );
  });
});

describe('the webhook', () => {
  const configurations = () => cluster.client.resource(ValidatingWebhookConfigurations);
  const clientConfig = async () => {
    const { webhooks = [] } = await eventuallyObject(configurations(), { name: WEBHOOK_NAME });
    return webhooks[0]?.clientConfig;
  };

  test('is registered at the address of the gateway, under a path that nobody can guess', async () => {
    const { pathname, origin } = new URL((await clientConfig())?.url ?? '');

    expect(origin).toBe(gateway.url);
    expect(pathname).toMatch(/^\/admission\/[A-Za-z0-9_-]{43}$/);
  });

  test('answers there, and only there, who shows nothing else', async () => {
    const { pathname } = new URL((await clientConfig())?.url ?? '');
    const body = JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u-1',
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        operation: 'CREATE',
        userInfo: {},
      },
    });

    expect((await ask(undefined, 'POST', pathname, { body })).json()).toMatchObject({
      kind: 'AdmissionReview',
      response: { uid: 'u-1', allowed: true },
    });
    expect((await ask(undefined, 'POST', `${pathname}x`, { body })).status).toBe(401);
    expect((await ask(undefined, 'POST', '/admission/', { body })).status).toBe(401);
    expect((await ask(undefined, 'GET', pathname)).status).toBe(405);
    expect((await ask(undefined, 'POST', pathname, { body: '{}' })).status).toBe(400);
  });

  test('is put right when somebody changes it, and made again when it is gone', async () => {
    const value = { webhooks: [] };
    await configurations().patch(WEBHOOK_NAME, { type: 'merge', value });
    await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, ({ webhooks }) => webhooks?.length === 1);
    const { uid } = (await configurations().get(WEBHOOK_NAME)).metadata;
    await configurations().delete(WEBHOOK_NAME);

    const made = await eventuallyObject(
      configurations(),
      { name: WEBHOOK_NAME },
      ({ metadata }) => metadata.uid !== uid,
    );
    expect(made.webhooks?.[0]).toMatchObject({ failurePolicy: 'Fail', sideEffects: 'None', matchPolicy: 'Equivalent' });
  });

  test('follows the roots that all replicas share', async () => {
    const { metadata } = await cluster.client.resource(Secrets).get(ROOTS_SECRET, { namespace: SYSTEM_NAMESPACE });
    const next = await createGatewayRoots(systemClock);
    await cluster.client.resource(Secrets).update({ ...rootsSecret(next), metadata });

    const isNew = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url?.endsWith(next.webhookKey) === true;
    const { webhooks = [] } = await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isNew);
    const bundle = Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
    expect(splitPemBundle(bundle)).toEqual(splitPemBundle(next.authority.active.certificatePem));
    // And it shows a certificate of the new authority by then.
    const transport = new HttpsTransport({ server: gateway.url, certificateAuthority: bundle });
    await expect(new KubeClient(transport).raw({ method: 'GET', path: '/livez' })).resolves.toMatchObject({
      status: 200,
    });
    transport.close();
  });

  test('gets new roots when their Secret is deleted', async () => {
    const former = (await clientConfig())?.url ?? '';
    await cluster.client.resource(Secrets).delete(ROOTS_SECRET, { namespace: SYSTEM_NAMESPACE });
    const isNew = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url !== former;
    await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isNew);

    const made = await cluster.client.resource(Secrets).get(ROOTS_SECRET, { namespace: SYSTEM_NAMESPACE });
    expect(Object.keys(made.data ?? {}).sort()).toEqual(['ca.crt', 'ca.key', 'webhook-key']);
  });

  test('is the next replica’s to keep when the one that kept it goes', async () => {
    const second = await open('second', 'https://balancer.example.com:8443');
    await gateway.close();
    const isOfSecond = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url?.startsWith('https://balancer.example.com:8443/admission/') === true;

    await expect(
      eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isOfSecond, { deadlineMs: 30_000 }),
    ).resolves.toBeDefined();
    await second.close();
    gateway = await open('third');
  });
});
