import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { systemClock } from '@fairway/base/clock';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { Secrets, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatewayCa, GATEWAY_CA_SECRET, gatewayCaSecret } from '../../management/gateway-ca.ts';
import type { ManagementGateway } from '../../management/management-gateway.ts';
import { ManagementCluster } from '../../testing/management-cluster.ts';
import { openGateway, sendAs } from '../../testing/open-gateway.ts';
import { servicePath, WEBHOOK_NAME } from '../../webhook/webhook-configuration.ts';

let cluster: ManagementCluster;
let gateway: ManagementGateway;
beforeAll(async () => {
  cluster = await ManagementCluster.start();
  gateway = await openGateway(cluster, 'first');
});
afterAll(async () => {
  await gateway.close();
  await cluster.close();
});

/** Sends a request without credentials. */
function send(method: TransportRequest['method'], path: string, more?: Partial<TransportRequest>) {
  return sendAs({ cluster, gateway }, undefined, method, path, more);
}

describe('the webhook', () => {
  const configurations = () => cluster.client.resource(ValidatingWebhookConfigurations);
  const clientConfig = async () => {
    const { webhooks = [] } = await eventuallyObject(configurations(), { name: WEBHOOK_NAME });
    return webhooks[0]?.clientConfig;
  };

  test("is registered at the gateway's address, under a path that cannot be guessed", async () => {
    const { pathname, origin } = new URL((await clientConfig())?.url ?? '');

    expect(origin).toBe(gateway.url);
    expect(pathname).toMatch(/^\/admission\/[A-Za-z0-9_-]{43}$/);
  });

  test('responds only there, and requires no other credentials', async () => {
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

    expect((await send('POST', pathname, { body })).json()).toMatchObject({
      kind: 'AdmissionReview',
      response: { uid: 'u-1', allowed: true },
    });
    expect((await send('POST', servicePath(pathname), { body })).status).toBe(200);
    expect((await send('POST', `${pathname}x`, { body })).status).toBe(401);
    expect((await send('POST', '/admission/', { body })).status).toBe(401);
    expect((await send('GET', pathname)).status).toBe(405);
    expect((await send('POST', pathname, { body: '{}' })).status).toBe(400);
  });

  test('is restored after a change, and recreated after a deletion', async () => {
    const value = { webhooks: [] };
    await configurations().patch(WEBHOOK_NAME, { type: 'merge', value });
    await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, ({ webhooks }) => webhooks?.length === 3);
    const { uid } = (await configurations().get(WEBHOOK_NAME)).metadata;
    await configurations().delete(WEBHOOK_NAME);

    const createdSecret = await eventuallyObject(
      configurations(),
      { name: WEBHOOK_NAME },
      ({ metadata }) => metadata.uid !== uid,
    );
    expect(createdSecret.webhooks?.[0]).toMatchObject({
      failurePolicy: 'Fail',
      sideEffects: 'None',
      matchPolicy: 'Equivalent',
    });
  });

  test('uses CAs that all replicas share', async () => {
    const { metadata } = await cluster.client.resource(Secrets).get(GATEWAY_CA_SECRET, { namespace: SYSTEM_NAMESPACE });
    const next = await createGatewayCa(systemClock);
    await cluster.client.resource(Secrets).update({ ...gatewayCaSecret(next), metadata });

    const isNew = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url?.endsWith(next.webhookKey) === true;
    const { webhooks = [] } = await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isNew);
    const bundle = Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
    expect(splitPemBundle(bundle)).toEqual(splitPemBundle(next.authority.active.certificatePem));
    // By then, the webhook also presents a certificate issued by the new CA.
    const transport = new HttpsTransport({ server: gateway.url, certificateAuthority: bundle });
    await expect(new KubeClient(transport).raw({ method: 'GET', path: '/livez' })).resolves.toMatchObject({
      status: 200,
    });
    transport.close();
  });

  test('gets new CAs when their Secret is deleted', async () => {
    const former = (await clientConfig())?.url ?? '';
    await cluster.client.resource(Secrets).delete(GATEWAY_CA_SECRET, { namespace: SYSTEM_NAMESPACE });
    const isNew = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url !== former;
    await eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isNew);

    const createdSecret = await cluster.client
      .resource(Secrets)
      .get(GATEWAY_CA_SECRET, { namespace: SYSTEM_NAMESPACE });
    expect(Object.keys(createdSecret.data ?? {}).sort()).toEqual(['ca.crt', 'ca.key', 'webhook-key']);
  });

  test('is maintained by the next replica when the current one stops', async () => {
    const second = await openGateway(cluster, 'second', 'https://balancer.example.com:8443');
    await gateway.close();
    const isSecondCa = ({ webhooks = [] }: { webhooks?: readonly { clientConfig?: { url?: string } }[] }) =>
      webhooks[0]?.clientConfig?.url?.startsWith('https://balancer.example.com:8443/admission/') === true;

    await expect(eventuallyObject(configurations(), { name: WEBHOOK_NAME }, isSecondCa)).resolves.toBeDefined();
    await second.close();
    gateway = await openGateway(cluster, 'third');
  });
});
