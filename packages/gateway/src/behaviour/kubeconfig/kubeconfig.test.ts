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
import { craftPem, extensionRequest, part } from '@fairway/kube/pki/testing/crafted-request';
import { eventually } from '@fairway/kube/testing/eventually';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { FORMS, type Person, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const PATH = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;
const SYSTEM_NAMESPACE = 'fairway-system';

const REQUEST = craftPem({ subject: [part('CN', 'a')] });
const TWO_EXTENSION_REQUESTS = craftPem({
  subject: [part('CN', 'a')],
  attributes: [extensionRequest(), extensionRequest()],
});

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.setEndpoint('demo');
  });
  afterAll(() => gateway.close());

  function requestKubeconfig(person: Person | UserInfo, spec: object = {}, cluster = 'demo', query = '') {
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

  function clusterCaOf(uid: string | undefined) {
    const selection = { namespace: SYSTEM_NAMESPACE, labelSelector: `fairway.dev/cluster-uid=${uid}` };
    return gateway.gateway.client.resource(Secrets).list(selection);
  }

  /** The certificates in the Secret with a cluster's CAs. */
  async function storedClusterCas(name: string): Promise<Record<string, string>> {
    const { metadata } = await gateway.gateway.client.resource(clusters).get(name, { namespace: TEAM });
    const [secret] = (await clusterCaOf(metadata.uid)).items;
    const entries = Object.entries(secret?.data ?? {});
    return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  }

  describe('a kubeconfig', () => {
    test('certifies the key of a CSR for the requesting user, whatever names the CSR contains', async () => {
      const keys = await generateKeyPair();
      const asked = { commonName: 'admin', organizations: ['system:masters'] };
      const { body, status } = await requestKubeconfig('alice', {
        certificateRequest: await createCertificateRequest({ ...asked, keys }),
      });
      const certificate = new X509Certificate((body as KubeconfigRequest).status?.certificate ?? '');

      expect(status).toBe(201);
      expect(certificate.subject.split('\n').sort()).toEqual(['CN=alice', 'O=fairway:cluster-admins']);
      expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(await publicKeyToPem(keys.publicKey));
      expect(certificateIn(body).raw).toEqual(certificate.raw);
      expect((body as KubeconfigRequest).status?.kubeconfig).not.toContain('client-key-data');
    });

    test('is refused for a malformed CSR, or a CSR that was not signed with its own key', async () => {
      const [ownCertificate, other] = await Promise.all([generateKeyPair(), generateKeyPair()]);
      const keys = { publicKey: ownCertificate.publicKey, privateKey: other.privateKey };
      const foreignCertificate = await createCertificateRequest({ commonName: 'alice', organizations: [], keys });

      const refusals = await Promise.all(
        [foreignCertificate, 'none'].map((certificateRequest) => requestKubeconfig('alice', { certificateRequest })),
      );

      expect(refusals.map(({ status }) => status)).toEqual([422, 422]);
      expect(JSON.stringify(refusals[0]?.body)).toContain('is not signed with its own key');
      expect(JSON.stringify(refusals[1]?.body)).toContain('PEM block type must be CERTIFICATE REQUEST');
    });

    test.each([
      [
        'a header with thousands of continuation lines',
        `-----BEGIN CERTIFICATE REQUEST-----\na: b\n${' c: d\n'.repeat(5000)}\nAAAA`,
        /PEM block|no headers/,
      ],
      ['text before the first block', `x${REQUEST}${REQUEST}`, /nothing may stand before/],
      ['two extensionRequests', TWO_EXTENSION_REQUESTS, /one attribute, extensionRequest/],
    ])('is refused for a request with %s', async (_, certificateRequest, message) => {
      const { status, body } = await requestKubeconfig('alice', { certificateRequest });

      expect(status).toBe(422);
      expect(JSON.stringify(body)).toMatch(message);
    });

    test('is a certificate for the requesting user, in a group whose permissions the tenant can revoke', async () => {
      const { status, body } = await requestKubeconfig('alice', { expirationSeconds: 900 });
      const certificate = certificateIn(body);

      expect(status).toBe(201);
      expect(certificate.subject.split('\n').sort()).toEqual(['CN=alice', 'O=fairway:cluster-admins']);
      expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    });

    test.each([
      { asked: 600, lives: 600 },
      { asked: 86_400, lives: 86_400 },
      { asked: undefined, lives: 3_600, reason: 'one hour by default' },
    ])('is valid for $lives s if $asked s are requested', async ({ asked, lives }) => {
      const startMs = gateway.clock.now();
      const { body } = await requestKubeconfig('alice', asked === undefined ? {} : { expirationSeconds: asked });
      const afterMs = gateway.clock.now();
      const endMs = Date.parse(certificateIn(body).validTo);

      expect(endMs).toBeGreaterThanOrEqual(startMs - 1_000 + lives * 1_000);
      expect(endMs).toBeLessThanOrEqual(afterMs + lives * 1_000);
      expect(Date.parse((body as KubeconfigRequest).status?.expirationTimestamp ?? '')).toBe(endMs);
    });

    test('can be requested without a spec, which then has defaults', async () => {
      const body = { apiVersion: API_VERSION, kind: 'KubeconfigRequest' };

      expect(await gateway.call('alice', 'POST', `${PATH}/demo/kubeconfig`, body)).toMatchObject({
        status: 201,
        body: { spec: { expirationSeconds: 3_600 } },
      });
    });

    test("connects to the cluster, and is signed by its CA for users, not by Fairway's", async () => {
      const { body } = await requestKubeconfig('alice');
      const { status } = body as KubeconfigRequest;
      const [cluster] = parseKubeconfig(status?.kubeconfig ?? '').clusters ?? [];
      const trusted = Buffer.from(cluster?.cluster['certificate-authority-data'] ?? '', 'base64');
      const clusterCas = await storedClusterCas('demo');

      expect(cluster?.cluster.server).toBe('https://192.0.2.7:6443');
      expect(trusted.toString()).toBe(clusterCas['ca.crt']);
      expect(certificateIn(body).verify(new X509Certificate(clusterCas['users-ca.crt'] ?? '').publicKey)).toBe(true);
    });

    test('is signed by the stored CA, even if someone else has changed it', async () => {
      await requestKubeconfig('alice');
      const before = await storedClusterCas('demo');
      const elsewhere = new ClusterCredentials(gateway.gateway.client, gateway.clock);
      const demo = await gateway.gateway.client.resource(clusters).get('demo', { namespace: TEAM });
      await elsewhere.change(demo, (pki) => revokeKubeconfigs(pki, 'now', gateway.clock));

      const { body } = await requestKubeconfig('alice');
      const after = await storedClusterCas('demo');
      expect(after['users-ca.crt']).not.toBe(before['users-ca.crt']);
      expect(certificateIn(body).verify(new X509Certificate(after['users-ca.crt'] ?? '').publicKey)).toBe(true);
    });

    test.each([
      { username: 'system:admin' },
      { username: 'system:node:web-1' },
      { username: 'system:serviceaccount:team:robot' },
    ])('has no name with a special meaning in Kubernetes, for $username', async ({ username }) => {
      const { body } = await requestKubeconfig({ username, groups: ['system:masters', 'system:authenticated'] });

      expect(certificateIn(body).subject.split('\n')).toContain(`CN=fairway:${username}`);
    });

    test('is reported in an Event on the cluster', async () => {
      await gateway.createCluster('audited');
      await gateway.setEndpoint('audited');
      const { body } = await requestKubeconfig('alice', {}, 'audited');
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

  describe('no kubeconfig is issued', () => {
    test('while the cluster is hibernated: 409 with advice', async () => {
      await gateway.createCluster('asleep');
      await gateway.setEndpoint('asleep');
      const hibernation = { wanted: true, wantedSince: '2026-11-22T00:00:00Z', hibernated: true };
      const value = { status: { hibernation } };
      const options = { namespace: TEAM, subresource: 'status' };
      await gateway.gateway.client.resource(clusters).patch('asleep', { type: 'merge', value }, options);

      expect(await requestKubeconfig('alice', {}, 'asleep')).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', message: expect.stringContaining('wake it with "fairway cluster wake asleep"') },
      });
    });

    test('before the control plane is ready: 409 with advice', async () => {
      await gateway.createCluster('young');

      expect(await requestKubeconfig('alice', {}, 'young')).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', message: expect.stringContaining('wait for the condition ControlPlaneReady') },
      });
    });

    test('for a cluster that is being deleted, and no new CAs are created', async () => {
      const { metadata } = await gateway.createCluster('old');
      await gateway.setEndpoint('old');
      const finalizerPatch = { type: 'merge', value: { metadata: { finalizers: ['fairway.dev/test'] } } } as const;
      await gateway.gateway.client.resource(clusters).patch('old', finalizerPatch, { namespace: TEAM });
      await gateway.as('alice').resource(clusters).delete('old', { namespace: TEAM });

      expect(await requestKubeconfig('alice', {}, 'old')).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('the cluster is being deleted') },
      });
      expect((await clusterCaOf(metadata.uid)).items).toEqual([]);
    });

    test('in a dry run, which creates neither a key nor CAs nor an Event', async () => {
      const { metadata } = await gateway.createCluster('tried');
      await gateway.setEndpoint('tried');
      const { status, body } = await requestKubeconfig('alice', { expirationSeconds: 900 }, 'tried', '?dryRun=All');

      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'KubeconfigRequest', spec: { expirationSeconds: 900 } });
      expect(body).not.toHaveProperty('status');
      expect((await clusterCaOf(metadata.uid)).items).toEqual([]);
      const eventSelector = { namespace: TEAM, fieldSelector: 'involvedObject.name=tried' };
      expect((await gateway.gateway.client.resource(Events).list(eventSelector)).items).toEqual([]);
    });

    test.each([
      { expirationSeconds: 599, says: 'greater than or equal to 600' },
      { expirationSeconds: 86_401, says: 'less than or equal to 86400' },
      { expirationSeconds: 0, says: 'greater than or equal to 600' },
    ])('for $expirationSeconds s', async ({ expirationSeconds, says }) => {
      expect(await requestKubeconfig('alice', { expirationSeconds })).toMatchObject({
        status: 422,
        body: {
          reason: 'Invalid',
          details: { causes: [{ field: 'spec.expirationSeconds', message: expect.stringContaining(says) }] },
        },
      });
    });

    test.each(['rita', 'nobody'] as const)('for %s', async (person) => {
      expect(await requestKubeconfig(person)).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    });

    test('for a cluster that does not exist', async () => {
      expect((await requestKubeconfig('alice', {}, 'nope')).status).toBe(404);
    });
  });
});
