import { X509Certificate } from 'node:crypto';
import { clusters } from '@fairway/api/kinds/cluster';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { craftPem, extensionRequest, part } from '@fairway/kube/pki/testing/crafted-request';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCaller, TestMagnum } from '../../testing/test-magnum.ts';

const CSR_PEM = craftPem({ subject: [part('CN', 'a')] });

describe('certificates', () => {
  let magnum: TestMagnum;
  let uuid: string;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
    const body = { name: 'demo', cluster_template_id: 'k8s-1.34-free', flavor_id: 'b3-8' };
    uuid = (await magnum.call('alice', 'POST', '/v1/clusters', body)).body.uuid;
  });
  afterAll(() => magnum?.close());

  const status = (value: object) =>
    magnum.gateway.gateway.client
      .resource(clusters)
      .patch('demo', { type: 'merge', value: { status: value } }, { namespace: TEAM, subresource: 'status' });

  async function sign(caller: TestCaller) {
    const keys = await generateKeyPair();
    const csr = await createCertificateRequest({ commonName: 'admin', organizations: ['system:masters'], keys });
    return magnum.call(caller, 'POST', '/v1/certificates', { cluster_uuid: uuid, csr });
  }

  test('are unavailable before the control plane exists', async () => {
    expect((await magnum.call('alice', 'GET', `/v1/certificates/${uuid}`)).status).toBe(409);
    expect((await sign('alice')).status).toBe(409);
  });

  test('are signed for the caller, regardless of the CSR’s subject', async () => {
    await status({ endpoint: { host: '192.0.2.7', port: 6443 }, url: 'https://192.0.2.7:6443', caCertificate: 'PEM' });

    expect((await magnum.call('rita', 'GET', `/v1/certificates/${uuid}`)).body).toMatchObject({
      cluster_uuid: uuid,
      pem: 'PEM',
    });
    const response = await sign('alice');
    expect(response.status).toBe(201);
    const certificate = new X509Certificate(response.body.pem);
    expect(certificate.subject.split('\n').sort()).toEqual(['CN=alice', 'O=fairway:cluster-admins']);
    expect((await sign('rita')).body.errors[0].detail).toBe("Policy doesn't allow certificate:create to be performed.");
    expect((await sign('olga')).body.errors[0]).toMatchObject({
      status: 400,
      detail: `Cluster ${uuid} could not be found.`,
    });
  });

  test.each([
    ['etcd', /^ca_cert_type etcd is not supported/],
    ['other', /^ca_cert_type must be one of/],
  ])('are refused for CA type %s', async (type, detail) => {
    const response = await magnum.call('alice', 'GET', `/v1/certificates/${uuid}?ca_cert_type=${type}`);
    expect(response.body.errors[0]).toMatchObject({ status: 400, detail: expect.stringMatching(detail) });
  });

  test('are refused for an invalid CSR', async () => {
    const response = await magnum.call('alice', 'POST', '/v1/certificates', { cluster_uuid: uuid, csr: 'nonsense' });
    expect(response.body.errors[0]).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^Received invalid csr\. .*PEM block type/),
    });
  });

  test.each([
    [
      'a header with thousands of continuation lines',
      `-----BEGIN CERTIFICATE REQUEST-----\na: b\n${' c: d\n'.repeat(5000)}\nAAAA`,
    ],
    ['text before the first block', `x${CSR_PEM}${CSR_PEM}`],
    [
      'two extensionRequests',
      craftPem({ subject: [part('CN', 'a')], attributes: [extensionRequest(), extensionRequest()] }),
    ],
  ])('are refused for a CSR with %s', async (_, csr) => {
    const response = await magnum.call('alice', 'POST', '/v1/certificates', { cluster_uuid: uuid, csr });
    expect(response.body.errors[0]).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^Received invalid csr\. /),
    });
  });

  test('a rotation completes automatically, and a second rotation cannot start in the meantime', async () => {
    expect(await magnum.call('alice', 'PATCH', `/v1/certificates/${uuid}`)).toMatchObject({
      status: 202,
      body: { uuid },
    });

    const { metadata } = await magnum.gateway.as('alice').resource(clusters).get('demo', { namespace: TEAM });
    const { 'fairway.dev/rotate-credentials': startedRotation, 'fairway.dev/complete-rotation': completedRotation } =
      metadata.annotations ?? {};
    expect(startedRotation).toBeDefined();
    expect(completedRotation).toBe(startedRotation);
    await status({
      credentials: { phase: 'Preparing', rotation: startedRotation, caNotAfter: '2036-01-01T00:00:00Z' },
    });
    expect((await magnum.call('alice', 'PATCH', `/v1/certificates/${uuid}`)).body.errors[0].detail).toMatch(
      /already has an operation in progress/,
    );
  });
});
