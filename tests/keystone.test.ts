import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { TestBrowser } from '@fairway/gateway/testing/test-browser';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import { codeOf } from '@fairway/kube/testing/code-of';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { ServiceApi } from '@fairway/openstack/service-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FairwayWithKeystone, startFairwayWithKeystone } from './keystone/fairway-with-keystone.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';

const VALIDATION = '/auth/tokens?nocatalog';
const EVENTS = '/OS-REVOKE/events';

const list = (client: KubeClient, namespace: string) => client.resource(clusters).list({ namespace });

function aSecret(namespace: string, name: string, stringData: Record<string, string> = { key: 'value' }) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData };
}

/** Attempts by a user from another project. */
const ATTEMPTS: readonly (readonly [
  what: string,
  call: (client: KubeClient, namespace: string) => Promise<unknown>,
])[] = [
  ['list clusters', (client, namespace) => list(client, namespace)],
  ['list clusters of all namespaces', (client) => client.resource(clusters).list()],
  ['get a cluster', (client, namespace) => client.resource(clusters).get('demo', { namespace })],
  ['delete credentials', (client, namespace) => client.resource(cloudCredentials).deleteCollection({ namespace })],
  ['write a Secret', (client, namespace) => client.resource(Secrets).create(aSecret(namespace, 'stolen'))],
  ['read a Secret', (client, namespace) => client.resource(Secrets).get('login', { namespace })],
  ['change the namespace', (client, namespace) => claim(client, namespace)],
  ['create a namespace', (client) => client.resource(Namespaces).create({ metadata: { name: 'mine' }, spec: {} })],
];

function claim(client: KubeClient, namespace: string): Promise<unknown> {
  const value = { metadata: { annotations: { 'fairway.dev/project-id': 'mine' } } };
  return client.resource(Namespaces).patch(namespace, { type: 'merge', value });
}

describe.each(JOB_TARGETS)('Keystone users on $name', ({ isMissing, open }) => {
  describe.skipIf(isMissing)('one Fairway with users of several projects', () => {
    let job: JobCloud;
    let fairway: FairwayWithKeystone;
    let cloud: OpenStackClient;
    let member: KubeClient;
    let reader: KubeClient;
    let other: KubeClient;
    /** The namespace and project of the member and the reader. */
    let project: string;

    const clientOf = async (entry: string) => fairway.by((await fairway.cloud(entry).session.token()).id);

    beforeAll(async () => {
      job = await open();
      fairway = await startFairwayWithKeystone(job);
      cloud = fairway.cloud(job.member);
      [member, reader, other] = [await clientOf(job.member), await clientOf(job.reader), await clientOf(job.other)];
      project = await cloud.session.projectId();
    });
    afterAll(async () => {
      await fairway?.close();
      await job?.close();
    });

    it('shows an empty namespace for the project to a reader who signs in first', async () => {
      expect((await list(reader, project)).items).toEqual([]);
      expect((await reader.resource(plans).list()).items.length).toBeGreaterThan(0);
    });

    it('accepts a credential for the project from a member', async () => {
      const { id, secret } = await cloud.identity.createApplicationCredential({ name: `fairway-${project}` });
      const login = { application_credential_id: id, application_credential_secret: secret };
      await member.resource(Secrets).create(aSecret(project, 'login', login));
      await member.resource(cloudCredentials).create({
        apiVersion: 'fairway.dev/v1alpha1',
        kind: 'CloudCredential',
        metadata: { namespace: project, name: 'own' },
        spec: { cloud: job.member, secretRef: { name: 'login' }, reclaimPolicy: 'Retain' },
      });

      const found = await eventuallyObject(
        member.resource(cloudCredentials),
        { namespace: project, name: 'own' },
        (each) => (each.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True'),
      );

      expect(found.status?.projectID).toBe(project);
      await cloud.identity.deleteApplicationCredential(id);
    });

    it('signs a member in to the console by password, acts for them, delegates permissions, and revokes each token', async () => {
      const browser = await TestBrowser.at(fairway);
      const { user, password } = fairway.passwordOf(job.member);
      const credentials = {
        kind: 'password',
        username: user.name,
        domain: user.domain?.name ?? user.domain?.id ?? 'Default',
        password,
        project,
      };
      const path = `/apis/fairway.dev/v1alpha1/namespaces/${project}/clusters`;
      const wrong = await browser.signIn({ ...credentials, password: 'wrong' });
      const right = await browser.signIn(credentials);
      const projects = await browser.fetchJson('/console/session/projects');
      const listed = await browser.fetchJson(path);
      const first = browser.cookie;
      // The project is the same, but the token is different.
      await browser.fetchJson('/console/session/project', { method: 'PUT', body: { id: project } });
      const second = browser.cookie;
      const stillValid = await browser.fetchJson(path);
      browser.cookie = first;
      const expired = await browser.fetchJson(path);
      browser.cookie = second;
      const name = `console-${project}`;
      const created = await browser.fetchJson('/console/session/delegation', { method: 'POST', body: { name } });
      const kept = browser.cookie;
      await browser.fetchJson('/console/session', { method: 'DELETE' });
      browser.cookie = kept;
      const after = await browser.fetchJson(path);
      browser.close();
      const { id, secret } = created.body as { id: string; secret: string };
      const issued = await fairway.cloud(job.member, { kind: 'applicationCredential', id, secret }).session.token();
      await cloud.identity.deleteApplicationCredential(id);

      expect([stillValid.status, expired.status]).toEqual([200, 401]);
      expect([wrong.status, right.status, listed.status, created.status, after.status]).toEqual([
        401, 200, 200, 200, 401,
      ]);
      expect(right.body).toMatchObject({ session: { project: { id: project }, namespace: project } });
      expect(projects.body).toMatchObject({
        projects: expect.arrayContaining([expect.objectContaining({ id: project })]),
      });
      expect(issued.token.project?.id).toBe(project);
    });

    it('lets a reader only read', async () => {
      expect(await codeOf(reader.resource(cloudCredentials).get('own', { namespace: project }))).toBe(0);
      expect(await codeOf(reader.resource(Secrets).create(aSecret(project, 'readers')))).toBe(403);
      expect(await codeOf(reader.resource(cloudCredentials).delete('own', { namespace: project }))).toBe(403);
    });

    it.each(ATTEMPTS)('does not let a member of another project %s', async (_, attempt) => {
      expect(await codeOf(list(other, await fairway.cloud(job.other).session.projectId()))).toBe(0);
      expect(await codeOf(attempt(other, project))).toBe(403);
    });

    it('lets a member’s application credential act as the member', async () => {
      const { id, secret } = await cloud.identity.createApplicationCredential({ name: `ci-${project}` });
      const login = { kind: 'applicationCredential', id, secret } as const;
      const ci = fairway.by((await fairway.cloud(job.member, login).session.token()).id);

      expect(await codeOf(list(ci, project))).toBe(0);
      await cloud.identity.deleteApplicationCredential(id);
    });

    it('makes at most 5 calls to Keystone for 1,000 requests with tokens', async () => {
      const fresh = [await clientOf(job.member), await clientOf(job.reader), await clientOf(job.member)];
      const before = fairway.keystone.calls(VALIDATION) + fairway.keystone.calls(EVENTS);
      for (let index = 0; index < 1_000; index++) {
        const client = fresh[index % fresh.length];
        if (client) await list(client, project);
      }

      expect(fairway.keystone.calls(VALIDATION) + fairway.keystone.calls(EVENTS) - before).toBeLessThanOrEqual(5);
    });

    it('refuses revoked tokens within seconds', async () => {
      const { id } = await fairway.cloud(job.member).session.token();
      const tokenHolder = fairway.by(id);
      await list(tokenHolder, project);
      const headers = { 'x-subject-token': id };
      await new ServiceApi(cloud.session, 'identity').send('DELETE', '/auth/tokens', { headers });

      await expect.poll(() => codeOf(list(tokenHolder, project)), { interval: 500 }).toBe(401);
      expect(await codeOf(list(member, project))).toBe(0);
    });

    it('accepts known tokens while Keystone is down, and reports why it refuses others', async () => {
      const late = await clientOf(job.other);
      fairway.keystone.isUnreachable = true;
      const refused = await list(late, project).catch((error: unknown) => error);
      const known = await codeOf(list(member, project));
      fairway.keystone.isUnreachable = false;

      expect(refused).toMatchObject({ code: 503, message: expect.stringContaining('cannot validate your token') });
      expect(known).toBe(0);
      await expect.poll(() => codeOf(list(late, project)), { interval: 500 }).toBe(403);
    });

    it('refuses requests with a token that Keystone did not issue', async () => {
      expect(await codeOf(list(fairway.by(`gAAAAA${'x'.repeat(180)}`), project))).toBe(401);
    });
  });
});
