import { clusters } from '@fairway/api/kinds/cluster';
import { SelfSubjectAccessReviews } from '@fairway/apiserver/auth/delegated/review-types';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { Namespaces, RoleBindings, Secrets } from '@fairway/kube/kinds/resources';
import { codeOf } from '@fairway/kube/testing/code-of';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeystoneGateway, startKeystoneGateway } from '../../testing/keystone-gateway.ts';
import { FORMS, refusal } from '../../testing/test-gateway.ts';

const FORGED_NAMESPACE = `gAAAAA${'x'.repeat(160)}`;

function aSecret(namespace: string, name = 'login') {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData: { a: 'b' } };
}

async function identityOf(client: KubeClient): Promise<UserInfo> {
  const apiVersion = 'authentication.k8s.io/v1';
  const rawResponse = await client.raw({
    method: 'POST',
    path: `/apis/${apiVersion}/selfsubjectreviews`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion, kind: 'SelfSubjectReview', metadata: {} }),
  });
  return (JSON.parse(await rawResponse.text()) as { status: { userInfo: UserInfo } }).status.userInfo;
}

async function canI(client: KubeClient, verb: string, resource: string, namespace: string): Promise<boolean> {
  const resourceAttributes = { verb, resource, namespace, group: resource === 'clusters' ? 'fairway.dev' : '' };
  const review = { metadata: {}, spec: { resourceAttributes } };
  return (await client.resource(SelfSubjectAccessReviews).create(review)).status?.allowed === true;
}

describe.each(FORMS)('Keystone users at the %s gateway', (form) => {
  let gateway: KeystoneGateway;
  let demo: KubeClient;
  let reader: KubeClient;
  let other: KubeClient;
  /** The project of the users demo and reader, and its namespace. */
  let project: string;
  beforeAll(async () => {
    gateway = await startKeystoneGateway(form);
    demo = await gateway.as('simulator');
    reader = await gateway.as('simulator-reader');
    other = await gateway.as('simulator-other');
    project = await gateway.keystone.as('simulator').session.projectId();
  });
  afterAll(() => gateway.close());

  it('see their identity as IDs, along with their names', async () => {
    const { id } = await gateway.keystone.as('simulator').identity.me();

    expect(await identityOf(demo)).toEqual({
      username: `keystone:${id}`,
      uid: id,
      groups: [
        `keystone:project:${project}`,
        `keystone:project:${project}:member`,
        `keystone:project:${project}:reader`,
        'system:authenticated',
      ],
      extra: {
        'alpha.kubernetes.io/identity/roles': ['member', 'reader'],
        'alpha.kubernetes.io/identity/project/id': [project],
        'alpha.kubernetes.io/identity/project/name': ['demo'],
        'alpha.kubernetes.io/identity/project/domain/id': ['default'],
        'alpha.kubernetes.io/identity/user/name': ['demo'],
        'alpha.kubernetes.io/identity/user/domain/id': ['default'],
        'alpha.kubernetes.io/identity/user/domain/name': ['Default'],
        'fairway.dev/namespace': [project],
      },
    });
  });

  it.each<{ how: string; revoke: (token: string) => Promise<unknown> }>([
    { how: 'is signed out', revoke: async (token) => gateway.keystone.tokens.forget(token) },
    { how: 'is revoked in Keystone', revoke: (token) => gateway.keystone.revoke('simulator', token) },
  ])('cannot watch after their token ends, which $how', async ({ revoke }) => {
    const token = await gateway.keystone.tokenOf('simulator');
    const revokedClient = await gateway.by(token);
    const remainingClient = await gateway.as('simulator');
    const watch = async (client: KubeClient) => {
      const stop = new AbortController();
      const initial = {
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        resourceVersionMatch: 'NotOlderThan',
      } as const;
      const options = { namespace: project, signal: stop.signal, ...initial };
      const events = client.resource(clusters).watch(options)[Symbol.asyncIterator]();
      // The bookmark that ends the initial list.
      await events.next();
      let isOver = false;
      const readToEnd = async (): Promise<void> => {
        while (!(await events.next()).done);
      };
      const watchEnd = readToEnd()
        .catch(() => {})
        .finally(() => {
          isOver = true;
        });
      return { isOver: () => isOver, ended: watchEnd, stop };
    };
    const [endedWatch, continuedWatch] = await Promise.all([watch(revokedClient), watch(remainingClient)]);

    await revoke(token);

    await endedWatch.ended;
    expect(continuedWatch.isOver()).toBe(false);
    continuedWatch.stop.abort();
    await continuedWatch.ended;
  });

  it('have a namespace for their project, created on the first request by any of its users', async () => {
    await identityOf(demo);
    const { metadata } = await gateway.form.client.resource(Namespaces).get(project);
    const { items } = await gateway.form.client.resource(RoleBindings).list({ namespace: project });

    expect(metadata.annotations?.['fairway.dev/project-id']).toBe(project);
    expect(items.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(({ name }) => name)])).toEqual([
      ['fairway-member', [`keystone:project:${project}:admin`, `keystone:project:${project}:member`]],
      ['fairway-reader', [`keystone:project:${project}:reader`]],
    ]);
  });

  it.each<{ who: string; client: () => KubeClient; reads: number; writes: number }>([
    { who: 'a member', client: () => demo, reads: 0, writes: 0 },
    { who: 'a reader', client: () => reader, reads: 0, writes: 403 },
    { who: 'a member of another project', client: () => other, reads: 403, writes: 403 },
  ])('have the permissions of their role in their project: $who', async ({ who, client, reads, writes }) => {
    const name = who.replaceAll(' ', '-');

    expect(await codeOf(client().resource(clusters).list({ namespace: project }))).toBe(reads);
    expect(await codeOf(client().resource(Secrets).create(aSecret(project, name)))).toBe(writes);
    expect(await canI(client(), 'list', 'clusters', project)).toBe(reads === 0);
    expect(await canI(client(), 'create', 'clusters', project)).toBe(writes === 0);
  });

  it('have no permissions elsewhere, nor on non-resource paths', async () => {
    expect(await codeOf(demo.resource(clusters).list())).toBe(403);
    expect(await codeOf(demo.resource(clusters).list({ namespace: 'default' }))).toBe(403);
    expect(await codeOf(demo.resource(Namespaces).list())).toBe(403);
    expect(await canI(demo, 'patch', 'namespaces', project)).toBe(false);
  });

  it('cannot gain permissions through their names', async () => {
    const admin = gateway.keystone.as('simulator-admin');
    const roles = await gateway.keystone.send('GET', '/roles');
    const member = (roles as { roles: { id: string; name: string }[] }).roles.find(({ name }) => name === 'member');
    const createdProject = (await gateway.keystone.send('POST', '/projects', {
      project: { name: 'system:masters' },
    })) as {
      project: { id: string };
    };
    const user = (await gateway.keystone.send('POST', '/users', {
      user: { name: 'system:admin', password: 'x' },
    })) as { user: { id: string } };
    const path = `/projects/${createdProject.project.id}/users/${user.user.id}/roles/${member?.id}`;
    await gateway.keystone.send('PUT', path);
    const scope = { kind: 'project', project: { id: createdProject.project.id } } as const;
    const login = { kind: 'password', user: { id: user.user.id }, password: 'x', scope } as const;
    const forgerClient = await gateway.by(await gateway.keystone.tokenOf('simulator', login));

    const { username, groups } = await identityOf(forgerClient);

    expect(username).toBe(`keystone:${user.user.id}`);
    expect(groups.filter((group) => group.startsWith('system:'))).toEqual(['system:authenticated']);
    expect(await codeOf(forgerClient.resource(clusters).list({ namespace: project }))).toBe(403);
    expect(await codeOf(forgerClient.resource(Namespaces).list())).toBe(403);
    expect((await admin.session.token()).token.roles.map(({ name }) => name)).toContain('admin');
  });

  it('get 401 for an unknown token', async () => {
    const error = await refusal((await gateway.by(FORGED_NAMESPACE)).resource(clusters).list({ namespace: project }));

    expect(error.code).toBe(401);
  });

  it('appear in the audit log by name and ID, without tokens', async () => {
    const token = await gateway.keystone.tokenOf('simulator');
    await (await gateway.by(token)).resource(clusters).list({ namespace: project });
    const text = JSON.stringify(gateway.audit.events);

    expect(text).toContain('"alpha.kubernetes.io/identity/user/name":["demo"]');
    expect(text).not.toContain(token);
  });

  it('get 503 and the reason while Keystone is unavailable, unless they are cached', async () => {
    const token = await gateway.keystone.tokenOf('simulator-other');
    const { faults } = gateway.keystone.simulator;
    const fault = { service: 'identity', method: 'GET', times: null, action: { kind: 'answer', status: 503 } } as const;
    const id = faults.add(fault);
    const error = await refusal((await gateway.by(token)).resource(clusters).list({ namespace: project }));
    const known = await codeOf(demo.resource(clusters).list({ namespace: project }));
    faults.remove(id);

    expect(error).toMatchObject({
      code: 503,
      message: expect.stringContaining('cannot validate your token'),
    });
    expect(known).toBe(0);
  });
});

describe.each(FORMS)('a project’s namespace at the %s gateway', (form) => {
  let gateway: KeystoneGateway;
  let project: string;
  beforeAll(async () => {
    gateway = await startKeystoneGateway(form, { namespaceFormat: 'p-%i' });
    project = await gateway.keystone.as('simulator').session.projectId();
  });
  afterAll(() => gateway.close());

  const namespaceOf = async (client: KubeClient) => (await identityOf(client)).extra?.['fairway.dev/namespace'];
  const create = (name: string, annotations: Record<string, string>) => {
    const namespace: Namespace = { metadata: { name, annotations }, spec: {} };
    return gateway.form.client.resource(Namespaces).create({ ...namespace, apiVersion: 'v1', kind: 'Namespace' });
  };

  it('is not taken over if someone else has created it', async () => {
    await create(`p-${project}`, {});

    const error = await refusal(identityOf(await gateway.as('simulator')));

    expect(error.code).toBe(403);
    expect(error.message).toContain(
      `namespace p-${project} already exists and does not belong to your project ${project}`,
    );
    await gateway.form.client.resource(Namespaces).delete(`p-${project}`);
  });

  it('belongs to the project that the operator specifies in it', async () => {
    const other = await gateway.keystone.as('simulator-other').session.projectId();
    await create('others', { 'fairway.dev/project-id': other });

    expect(await namespaceOf(await gateway.as('simulator-other'))).toEqual(['others']);
    expect(await codeOf((await gateway.as('simulator-other')).resource(clusters).list({ namespace: 'others' }))).toBe(
      0,
    );
  });
});
