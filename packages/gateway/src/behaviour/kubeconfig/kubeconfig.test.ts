import { X509Certificate } from 'node:crypto';
import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import type { KubeconfigRequest } from '@fairway/api/kinds/kubeconfig-request';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { revokeKubeconfigs } from '@fairway/control-plane/pki/cluster-rotation';
import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { Events, Secrets } from '@fairway/kube/kinds/resources';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair, publicKeyToPem } from '@fairway/kube/pki/key-pair';
import { asks, craftPem, part } from '@fairway/kube/pki/testing/crafted-request';
import { eventually } from '@fairway/kube/testing/eventually';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { FORMS, type Person, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const PATH = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;
const SYSTEM = 'fairway-system';

const REQUEST = craftPem({ subject: [part('CN', 'a')] });
const TWO_EXTENSION_REQUESTS = craftPem({ subject: [part('CN', 'a')], attributes: [asks(), asks()] });

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.giveEndpoint('demo');
  });
  afterAll(() => gateway.close());

  function ask(person: Person | UserInfo, spec: object = {}, cluster = 'demo', query = '') {
    const body = { apiVersion: API_VERSION, kind: 'KubeconfigRequest', spec };
    return gateway.call(person, 'POST', `${PATH}/${cluster}/kubeconfig${query}`, body);
  }

  /** The client certificate in a kubeconfig. */
  function certificateIn(body: unknown): X509Certificate {
    const { status } = body as KubeconfigRequest;
    const [user] = parseKubeconfig(status?.kubeconfig ?? '').users ?? [];
    const data = user?.user['client-certificate-data'] ?? '';
    return new X509Certificate(Buffer.from(data, 'base64'));
  }

  function rootsOf(uid: string | undefined) {
    const selection = { namespace: SYSTEM, labelSelector: `fairway.dev/cluster-uid=${uid}` };
    return gateway.gateway.client.resource(Secrets).list(selection);
  }

  /** The texts in the Secret of a cluster's roots. */
  async function storedRoots(name: string): Promise<Record<string, string>> {
    const { metadata } = await gateway.gateway.client.resource(clusters).get(name, { namespace: TEAM });
    const [secret] = (await rootsOf(metadata.uid)).items;
    const entries = Object.entries(secret?.data ?? {});
    return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  }

  describe('a kubeconfig', () => {
    test('certifies the key of a request for the requesting user, whatever names it has', async () => {
      const keys = await generateKeyPair();
      const asked = { commonName: 'admin', organizations: ['system:masters'] };
      const { body, status } = await ask('alice', {
        certificateRequest: await createCertificateRequest({ ...asked, keys }),
      });
      const certificate = new X509Certificate((body as KubeconfigRequest).status?.certificate ?? '');

      expect(status).toBe(201);
      expect(certificate.subject.split('\n').sort()).toEqual(['CN=alice', 'O=fairway:cluster-admins']);
      expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(await publicKeyToPem(keys.publicKey));
      expect(certificateIn(body).raw).toEqual(certificate.raw);
      expect((body as KubeconfigRequest).status?.kubeconfig).not.toContain('client-key-data');
    });

    test('is refused for a request that its key has not signed, or that is malformed', async () => {
      const [mine, other] = await Promise.all([generateKeyPair(), generateKeyPair()]);
      const keys = { publicKey: mine.publicKey, privateKey: other.privateKey };
      const foreign = await createCertificateRequest({ commonName: 'alice', organizations: [], keys });

      const refusals = await Promise.all(
        [foreign, 'none'].map((certificateRequest) => ask('alice', { certificateRequest })),
      );

      expect(refusals.map(({ status }) => status)).toEqual([422, 422]);
      expect(JSON.stringify(refusals[0]?.body)).toContain('is not signed with its own key');
      expect(JSON.stringify(refusals[1]?.body)).toContain('PEM block type must be CERTIFICATE REQUEST');
    });

    test.each([
      [
        'headers that go on',
        `-----BEGIN CERTIFICATE REQUEST-----\na: b\n${' c: d\n'.repeat(5000)}\nAAAA`,
        /PEM block|no headers/,
      ],
      ['text before the first block', `x${REQUEST}${REQUEST}`, /nothing may stand before/],
      ['two extensionRequests', TWO_EXTENSION_REQUESTS, /one attribute, extensionRequest/],
    ])('is refused for a request with %s', async (_, certificateRequest, message) => {
      const { status, body } = await ask('alice', { certificateRequest });

      expect(status).toBe(422);
      expect(JSON.stringify(body)).toMatch(message);
    });

    test('is a certificate for the requesting user, in a group whose permissions the tenant can revoke', async () => {
      const { status, body } = await ask('alice', { expirationSeconds: 900 });
      const certificate = certificateIn(body);

      expect(status).toBe(201);
      expect(certificate.subject.split('\n').sort()).toEqual(['CN=alice', 'O=fairway:cluster-admins']);
      expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    });

    test.each([
      { asked: 600, lives: 600 },
      { asked: 86_400, lives: 86_400 },
      { asked: undefined, lives: 3_600, reason: 'one hour by default' },
    ])('that is asked for $asked s lives $lives s', async ({ asked, lives }) => {
      const beforeMs = gateway.clock.now();
      const { body } = await ask('alice', asked === undefined ? {} : { expirationSeconds: asked });
      const afterMs = gateway.clock.now();
      const endMs = Date.parse(certificateIn(body).validTo);

      expect(endMs).toBeGreaterThanOrEqual(beforeMs - 1_000 + lives * 1_000);
      expect(endMs).toBeLessThanOrEqual(afterMs + lives * 1_000);
      expect(Date.parse((body as KubeconfigRequest).status?.expirationTimestamp ?? '')).toBe(endMs);
    });

    test('can be requested without a spec too, which has defaults', async () => {
      const body = { apiVersion: API_VERSION, kind: 'KubeconfigRequest' };

      expect(await gateway.call('alice', 'POST', `${PATH}/demo/kubeconfig`, body)).toMatchObject({
        status: 201,
        body: { spec: { expirationSeconds: 3_600 } },
      });
    });

    test("connects to the cluster, and is signed by its CA for users, not by Fairway's", async () => {
      const { body } = await ask('alice');
      const { status } = body as KubeconfigRequest;
      const [cluster] = parseKubeconfig(status?.kubeconfig ?? '').clusters ?? [];
      const trusted = Buffer.from(cluster?.cluster['certificate-authority-data'] ?? '', 'base64');
      const roots = await storedRoots('demo');

      expect(cluster?.cluster.server).toBe('https://192.0.2.7:6443');
      expect(trusted.toString()).toBe(roots['ca.crt']);
      expect(certificateIn(body).verify(new X509Certificate(roots['users-ca.crt'] ?? '').publicKey)).toBe(true);
    });

    test('is signed by the CA that is stored now, whoever changed it', async () => {
      await ask('alice');
      const before = await storedRoots('demo');
      const elsewhere = new ClusterCredentials(gateway.gateway.client, gateway.clock);
      const demo = await gateway.gateway.client.resource(clusters).get('demo', { namespace: TEAM });
      await elsewhere.change(demo, (pki) => revokeKubeconfigs(pki, 'now', gateway.clock));

      const { body } = await ask('alice');
      const after = await storedRoots('demo');
      expect(after['users-ca.crt']).not.toBe(before['users-ca.crt']);
      expect(certificateIn(body).verify(new X509Certificate(after['users-ca.crt'] ?? '').publicKey)).toBe(true);
    });

    test.each([
      { username: 'system:admin' },
      { username: 'system:node:web-1' },
      { username: 'system:serviceaccount:team:robot' },
    ])('for $username does not carry a name that has a special meaning in Kubernetes', async ({ username }) => {
      const { body } = await ask({ username, groups: ['system:masters', 'system:authenticated'] });

      expect(certificateIn(body).subject.split('\n')).toContain(`CN=fairway:${username}`);
    });

    test('is reported in an Event of the cluster', async () => {
      await gateway.createCluster('audited');
      await gateway.giveEndpoint('audited');
      const { body } = await ask('alice', {}, 'audited');
      const { status } = body as KubeconfigRequest;

      const [event] = await eventually(
        gateway.gateway.client.resource(Events),
        { namespace: TEAM, fieldSelector: 'involvedObject.name=audited' },
        (events) => events.length === 1,
      );
      expect(event).toMatchObject({
        type: 'Normal',
        reason: 'KubeconfigIssued',
        message: `alice was issued a kubeconfig that expires at ${status?.expirationTimestamp}`,
        involvedObject: { kind: 'Cluster', namespace: TEAM },
      });
    });
  });

  describe('no kubeconfig', () => {
    test('while the cluster is hibernated: 409 says how to wake it', async () => {
      await gateway.createCluster('asleep');
      await gateway.giveEndpoint('asleep');
      const hibernation = { wanted: true, wantedSince: '2026-11-22T00:00:00Z', hibernated: true };
      const value = { status: { hibernation } };
      const options = { namespace: TEAM, subresource: 'status' };
      await gateway.gateway.client.resource(clusters).patch('asleep', { type: 'merge', value }, options);

      expect(await ask('alice', {}, 'asleep')).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', message: expect.stringContaining('wake it with "fairway cluster wake asleep"') },
      });
    });

    test('before the control plane is ready: 409 says what to wait for', async () => {
      await gateway.createCluster('young');

      expect(await ask('alice', {}, 'young')).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', message: expect.stringContaining('wait for the condition ControlPlaneReady') },
      });
    });

    test('for a cluster that is being deleted, and no new CAs for it either', async () => {
      const { metadata } = await gateway.createCluster('old');
      await gateway.giveEndpoint('old');
      const held = { type: 'merge', value: { metadata: { finalizers: ['fairway.dev/test'] } } } as const;
      await gateway.gateway.client.resource(clusters).patch('old', held, { namespace: TEAM });
      await gateway.as('alice').resource(clusters).delete('old', { namespace: TEAM });

      expect(await ask('alice', {}, 'old')).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('the cluster is being deleted') },
      });
      expect((await rootsOf(metadata.uid)).items).toEqual([]);
    });

    test('from a dry run, which creates nothing: no key, no CAs, no Event', async () => {
      const { metadata } = await gateway.createCluster('tried');
      await gateway.giveEndpoint('tried');
      const { status, body } = await ask('alice', { expirationSeconds: 900 }, 'tried', '?dryRun=All');

      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'KubeconfigRequest', spec: { expirationSeconds: 900 } });
      expect(body).not.toHaveProperty('status');
      expect((await rootsOf(metadata.uid)).items).toEqual([]);
      const about = { namespace: TEAM, fieldSelector: 'involvedObject.name=tried' };
      expect((await gateway.gateway.client.resource(Events).list(about)).items).toEqual([]);
    });

    test.each([
      { expirationSeconds: 599, says: 'greater than or equal to 600' },
      { expirationSeconds: 86_401, says: 'less than or equal to 86400' },
      { expirationSeconds: 0, says: 'greater than or equal to 600' },
    ])('for $expirationSeconds s', async ({ expirationSeconds, says }) => {
      expect(await ask('alice', { expirationSeconds })).toMatchObject({
        status: 422,
        body: {
          reason: 'Invalid',
          details: { causes: [{ field: 'spec.expirationSeconds', message: expect.stringContaining(says) }] },
        },
      });
    });

    test.each(['rita', 'nobody'] as const)('for %s', async (person) => {
      expect(await ask(person)).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    });

    test('for a cluster that does not exist', async () => {
      expect((await ask('alice', {}, 'nope')).status).toBe(404);
    });
  });
});
