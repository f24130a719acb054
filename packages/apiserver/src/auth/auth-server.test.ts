import { systemClock } from '@fairway/base/clock';
import type { CertificateSigningRequest, TokenRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthServer, master } from './auth-server-fixture.ts';
import { certificateSigner } from './certificates/certificate-signer.ts';
import type { UserInfo } from './user.ts';

const AUTHZ = '/apis/authorization.k8s.io/v1';
const AUTHN = '/apis/authentication.k8s.io/v1';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const user = (username: string, ...groups: string[]): UserInfo => ({
  username,
  groups: [...groups, 'system:authenticated'],
});
const alice = user('alice', 'dev');

let fixture: AuthServer;
beforeAll(async () => {
  fixture = await AuthServer.start();
  await bind('edit', 'alice');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Binds a role to a user in the namespace shop. */
async function bind(role: string, name: string): Promise<void> {
  const { status } = await fixture.call(master, 'POST', `${RBAC}/namespaces/shop/rolebindings`, {
    metadata: { name: `${name}-${role}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  });
  expect(status).toBe(201);
}

describe('reviews', () => {
  const canI = async (who: UserInfo, resourceAttributes: object) => {
    const { body } = await fixture.call(who, 'POST', `${AUTHZ}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes },
    });
    return body['status'];
  };

  test('report whether access is allowed, and why', async () => {
    expect(await canI(alice, { namespace: 'shop', verb: 'delete', resource: 'pods' })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "alice-edit/shop" of ClusterRole "edit" to User "alice"',
    });
    expect(await canI(alice, { namespace: 'bank', verb: 'delete', resource: 'pods' })).toEqual({ allowed: false });
  });

  test.each([
    ['both kinds of attributes', 'selfsubjectaccessreviews', { resourceAttributes: {}, nonResourceAttributes: {} }],
    ['missing attributes', 'selfsubjectaccessreviews', {}],
    ['nobody', 'subjectaccessreviews', { resourceAttributes: { verb: 'get', resource: 'pods' } }],
  ])('reject %s', async (_name, plural, spec) => {
    expect((await fixture.call(master, 'POST', `${AUTHZ}/${plural}`, { spec })).status).toBe(422);
  });

  test('require a separate permission for another user', async () => {
    const spec = { user: 'alice', resourceAttributes: { namespace: 'shop', verb: 'get', resource: 'secrets' } };
    expect((await fixture.call(alice, 'POST', `${AUTHZ}/subjectaccessreviews`, { spec })).status).toBe(403);
    expect(
      (await fixture.call(master, 'POST', `${AUTHZ}/subjectaccessreviews`, { spec })).body['status'],
    ).toMatchObject({ allowed: true });
  });

  test('in a namespace cover only that namespace', async () => {
    await bind('admin', 'boss');
    const sendRequest = (namespace: string) =>
      fixture.call(user('boss'), 'POST', `${AUTHZ}/namespaces/shop/localsubjectaccessreviews`, {
        spec: { user: 'alice', resourceAttributes: { namespace, verb: 'list', resource: 'pods' } },
      });
    expect((await sendRequest('shop')).body['status']).toMatchObject({ allowed: true });
    expect((await sendRequest('bank')).status).toBe(422);
  });

  test("list the caller's permissions", async () => {
    const { body } = await fixture.call(alice, 'POST', `${AUTHZ}/selfsubjectrulesreviews`, {
      spec: { namespace: 'bank' },
    });
    expect(body['status']).toMatchObject({
      incomplete: false,
      resourceRules: expect.arrayContaining([
        { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
      ]),
      nonResourceRules: expect.arrayContaining([expect.objectContaining({ verbs: ['get'] })]),
    });
  });
});

describe('service-account tokens', () => {
  const SA = '/api/v1/namespaces/shop/serviceaccounts';
  const request = (spec: TokenRequest['spec'], name = 'robot', who = alice) =>
    fixture.call(who, 'POST', `${SA}/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    });
  const examine = async (token: string, audiences?: string[]) => {
    const { body } = await fixture.call(master, 'POST', `${AUTHN}/tokenreviews`, { spec: { token, audiences } });
    return body['status'] as { authenticated?: boolean; user: UserInfo; error?: string; audiences?: string[] };
  };
  beforeAll(async () => {
    await fixture.call(master, 'POST', SA, { metadata: { name: 'robot' } });
  });

  test('are issued, reviewed, and invalid once their account is deleted', async () => {
    await fixture.call(master, 'POST', SA, { metadata: { name: 'short' } });
    const { status, body } = await request({ expirationSeconds: 600 }, 'short');
    expect(status).toBe(201);
    const { token } = body['status'] as { token: string };
    expect(await examine(token)).toMatchObject({
      authenticated: true,
      audiences: ['https://kubernetes.default.svc'],
      user: {
        username: 'system:serviceaccount:shop:short',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    });
    await fixture.call(master, 'DELETE', `${SA}/short`);
    await fixture.call(master, 'POST', SA, { metadata: { name: 'short' } });
    expect(await examine(token)).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  test('are valid only for their audience', async () => {
    const { body } = await request({ audiences: ['vault'] });
    const { token } = body['status'] as { token: string };
    expect((await examine(token)).authenticated).toBeUndefined();
    expect(await examine(token, ['vault', 'other'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
  });

  test.each([
    {
      maxTokenSeconds: 86_400,
      asked: 86_401,
      lives: 86_400,
      warning: /requested expiration of 86401 seconds shortened/,
    },
    { maxTokenSeconds: 86_400, asked: 86_400, lives: 86_400, warning: /^$/ },
    { maxTokenSeconds: 1_800, asked: undefined, lives: 1_800, warning: /shortened to 1800 seconds/ },
    { maxTokenSeconds: 1, asked: 700, lives: 600, warning: /shortened to 600 seconds/ },
    { maxTokenSeconds: undefined, asked: 2 ** 32, lives: 2 ** 32, warning: /^$/ },
  ])('are valid for $lives s if $asked s are requested and the maximum is $maxTokenSeconds s', async (testCase) => {
    await using limited = await AuthServer.start({ maxTokenSeconds: testCase.maxTokenSeconds });
    await limited.call(master, 'POST', SA, { metadata: { name: 'robot' } });
    const spec = testCase.asked === undefined ? {} : { expirationSeconds: testCase.asked };
    const { status, body, warning } = await limited.call(master, 'POST', `${SA}/robot/token`, { spec });
    const { token } = body['status'] as { token: string };
    const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

    expect(status).toBe(201);
    expect(exp - iat).toBe(testCase.lives);
    expect(body['spec']).toMatchObject({ expirationSeconds: testCase.lives });
    expect(warning).toMatch(testCase.warning);
  });

  test.each<[string, object, number]>([
    ['shorter than ten minutes', { expirationSeconds: 599 }, 422],
    ['longer than 2^32 seconds', { expirationSeconds: 2 ** 32 + 1 }, 422],
    ['for audiences that are not a list', { audiences: 'vault' }, 400],
    ['bound to a pod that does not exist', { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } }, 404],
    ['bound to an unsupported kind', { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } }, 400],
    [
      'bound to a Secret with another UID',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'other' } },
      409,
    ],
  ])('%s are rejected', async (_name, spec, code) => {
    await fixture.call(master, 'POST', '/api/v1/namespaces/shop/secrets', { metadata: { name: 's' } });
    expect((await request(spec)).status).toBe(code);
  });

  test('cannot be requested for another namespace', async () => {
    expect(
      (await fixture.call(alice, 'POST', '/api/v1/namespaces/bank/serviceaccounts/robot/token', { spec: {} })).status,
    ).toBe(403);
    expect((await request({}, 'nobody')).status).toBe(404);
  });

  test('can be verified by other services using the published keys', async () => {
    const { body } = await fixture.call(master, 'GET', '/openid/v1/jwks');
    expect(body['keys']).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256', use: 'sig' })]);
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

describe('certificate requests', () => {
  const node = user('system:bootstrap:abcdef', 'system:bootstrappers');
  let count = 0;

  async function sendRequest(
    who: UserInfo,
    signerName: string,
    subject: { commonName: string; organizations: string[]; ipAddresses?: string[] },
    usages: string[],
    more: object = {},
  ) {
    const keys = await generateKeyPair();
    const pem = await createCertificateRequest({ ...subject, keys });
    const name = `csr-${count++}`;
    const spec = { request: Buffer.from(pem).toString('base64'), signerName, usages, ...more };
    return { name, ...(await fixture.call(who, 'POST', CSRS, { metadata: { name }, spec })) };
  }
  const client = ['digital signature', 'client auth'];
  const read = (name: string) =>
    fixture.server.reader.get(CertificateSigningRequests, '', name) as CertificateSigningRequest;

  async function decide(who: UserInfo, name: string, type: string) {
    const csr = read(name);
    const status = { ...csr.status, conditions: [{ type, status: 'True', reason: 'Test', message: '' }] };
    return fixture.call(who, 'PUT', `${CSRS}/${name}/approval`, { ...csr, status });
  }

  /** Runs the signer once, which writes as the controller manager would. */
  async function settle(name: string): Promise<CertificateSigningRequest> {
    const who = user('system:serviceaccount:kube-system:certificate-controller', 'system:serviceaccounts');
    const write = async (path: string, object: object) => {
      const { status, body } = await fixture.call(who, 'PUT', `${CSRS}/${name}${path}`, object);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body as never;
    };
    const requests = { get: read };
    const signal = new AbortController().signal;
    await certificateSigner({
      requests,
      client: { updateStatus: (object) => write('/status', object) },
      authority: () => fixture.authority,
      clock: systemClock,
    })(name, { signal });
    return read(name);
  }

  beforeAll(async () => {
    for (const role of [
      'system:node-bootstrapper',
      'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    ]) {
      await fixture.call(master, 'POST', `${RBAC}/clusterrolebindings`, {
        metadata: { name: `bootstrap-${role}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' }],
      });
    }
  });

  test('record the requester, regardless of the request body', async () => {
    const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
    const forged = { username: 'root', groups: ['system:masters'], uid: 'x', extra: { a: ['b'] } };
    const { status, name } = await sendRequest(
      node,
      'kubernetes.io/kube-apiserver-client-kubelet',
      subject,
      client,
      forged,
    );
    expect(status).toBe(201);
    expect(read(name).spec).toMatchObject({ username: node.username, groups: node.groups });
    expect(read(name).spec).not.toHaveProperty('extra');
    await fixture.call(master, 'PUT', `${CSRS}/${name}`, {
      ...read(name),
      spec: { ...read(name).spec, username: 'root' },
    });
    expect(read(name).spec.username).toBe(node.username);
  });

  test('are signed for joining nodes once they are approved', async () => {
    const subject = { commonName: 'system:node:n2', organizations: ['system:nodes'] };
    const { name } = await sendRequest(node, 'kubernetes.io/kube-apiserver-client-kubelet', subject, client, {
      expirationSeconds: 3600,
    });
    expect((await decide(master, name, 'Approved')).status).toBe(200);
    const { status } = await settle(name);
    expect(status?.conditions).toEqual([expect.objectContaining({ type: 'Approved' })]);
    const info = certificateInfo(Buffer.from(status?.certificate ?? '', 'base64').toString());
    expect(info).toMatchObject({ ...subject, usages: client, isAuthority: false });
    expect(Math.round((info.notAfterMs - Date.now()) / 60_000)).toBe(60);
  });

  test.each([
    [
      'in the group system:masters',
      'kubernetes.io/kube-apiserver-client',
      { commonName: 'x', organizations: ['system:masters'] },
      client,
      403,
    ],
    [
      'with an unknown usage',
      'kubernetes.io/kube-apiserver-client',
      { commonName: 'x', organizations: [] },
      ['fly'],
      422,
    ],
    ['without usages', 'kubernetes.io/kube-apiserver-client', { commonName: 'x', organizations: [] }, [], 422],
    ['for a signer without a domain', 'signer', { commonName: 'x', organizations: [] }, client, 422],
    ['for the legacy signer', 'kubernetes.io/legacy-unknown', { commonName: 'x', organizations: [] }, client, 422],
  ])('%s are rejected', async (_name, signerName, subject, usages, code) => {
    expect((await sendRequest(master, signerName, subject, usages)).status).toBe(code);
  });

  test('signed with a different key are rejected', async () => {
    const [ownKeys, otherKeys] = [await generateKeyPair(), await generateKeyPair()];
    const keys = { publicKey: otherKeys.publicKey, privateKey: ownKeys.privateKey };
    const request = Buffer.from(await createCertificateRequest({ commonName: 'a', organizations: [], keys })).toString(
      'base64',
    );
    const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: client };
    expect((await fixture.call(master, 'POST', CSRS, { metadata: { name: 'stolen' }, spec })).status).toBe(422);
  });

  test.each<
    [string, string, { commonName: string; organizations: string[]; ipAddresses?: string[] }, string[], string]
  >([
    [
      'a request of a node that is also in another group',
      'kubernetes.io/kube-apiserver-client-kubelet',
      { commonName: 'system:node:n3', organizations: ['system:nodes', 'system:masters'] },
      client,
      'subject organization is not system:nodes',
    ],
    [
      'a node request with another common name',
      'kubernetes.io/kube-apiserver-client-kubelet',
      { commonName: 'admin', organizations: ['system:nodes'] },
      client,
      'subject common name does not begin with system:node:',
    ],
    [
      'a node client request with server auth',
      'kubernetes.io/kube-apiserver-client-kubelet',
      { commonName: 'system:node:n3', organizations: ['system:nodes'] },
      [...client, 'server auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'a node serving request without a name or address',
      'kubernetes.io/kubelet-serving',
      { commonName: 'system:node:n3', organizations: ['system:nodes'] },
      ['digital signature', 'server auth'],
      'DNS or IP subjectAltName is required',
    ],
    [
      'a client request with cert sign',
      'kubernetes.io/kube-apiserver-client',
      { commonName: 'x', organizations: [] },
      ['client auth', 'cert sign'],
      'invalid usage for client certificate: cert sign',
    ],
  ])('the signer fails %s, even if the request is approved', async (_name, signerName, subject, usages, message) => {
    const { name } = await sendRequest(master, signerName, subject, usages);
    expect((await decide(master, name, 'Approved')).status).toBe(200);
    const { status } = await settle(name);
    expect(status?.certificate).toBeUndefined();
    expect(status?.conditions?.[1]).toMatchObject({ type: 'Failed', reason: 'SignerValidationFailure', message });
  });

  test('are approved only by users with the approve verb on the signer, and only through the approval subresource', async () => {
    await fixture.call(master, 'POST', `${RBAC}/clusterroles`, {
      metadata: { name: 'approver' },
      rules: [
        {
          verbs: ['update'],
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
        },
        {
          verbs: ['approve'],
          apiGroups: ['certificates.k8s.io'],
          resources: ['signers'],
          resourceNames: ['example.com/*'],
        },
      ],
    });
    await fixture.call(master, 'POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'approver' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'approver' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'approver' }],
    });
    const approver = user('approver');
    const subject = { commonName: 'x', organizations: [] };
    const own = await sendRequest(master, 'example.com/own', subject, client);
    const kubernetes = await sendRequest(master, 'kubernetes.io/kube-apiserver-client', subject, client);

    expect((await decide(alice, own.name, 'Approved')).status).toBe(403);
    expect((await decide(approver, kubernetes.name, 'Approved')).status).toBe(403);
    expect((await decide(approver, own.name, 'Approved')).status).toBe(200);
    const stored = read(own.name);
    const sneaky = { ...stored, status: { ...stored.status, certificate: 'AAAA' } };
    expect((await fixture.call(approver, 'PUT', `${CSRS}/${own.name}/status`, sneaky)).status).toBe(422);
    const pem = Buffer.from(fixture.authority.certificatePem).toString('base64');
    const signing = { ...stored, status: { ...stored.status, certificate: pem } };
    expect((await fixture.call(approver, 'PUT', `${CSRS}/${own.name}/status`, signing)).status).toBe(403);
    expect((await fixture.call(approver, 'PUT', `${CSRS}/${own.name}/approval`, signing)).status).toBe(422);
  });

  test('have a final decision: it cannot be removed, reversed, or set through status', async () => {
    const { name } = await sendRequest(
      master,
      'kubernetes.io/kube-apiserver-client',
      { commonName: 'x', organizations: [] },
      client,
    );
    const pending = read(name);
    const conditions = [{ type: 'Approved', status: 'True' }];
    expect(
      (await fixture.call(master, 'PUT', `${CSRS}/${name}/status`, { ...pending, status: { conditions } })).status,
    ).toBe(422);
    expect((await decide(master, name, 'Denied')).status).toBe(200);
    expect((await decide(master, name, 'Approved')).status).toBe(422);
    expect((await settle(name)).status?.certificate).toBeUndefined();
  });
});
