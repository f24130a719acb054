import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { freePorts } from '@fairway/base/testing/free-ports';
import { webhookConfiguration } from '@fairway/gateway/webhook/webhook-configuration';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces, Services, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { observeWebhook } from '../../serve/webhook-observation.ts';

const DAY_MS = 86_400_000;
const identity = { usernames: [], isCertain: true };

let ownCertificate: string;
let otherCertificate: string;
let gateway: Server;
let port: number;
let api: ApiServer;
let client: KubeClient;

beforeAll(async () => {
  const clock = systemClock;
  const validityMs = DAY_MS;
  const authority = await createCertificateAuthority({ commonName: 'fairway-gateway', clock, validityMs });
  const other = await createCertificateAuthority({ commonName: 'another', clock, validityMs });
  [ownCertificate, otherCertificate] = [authority.certificatePem, other.certificatePem];
  const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(authority, {
    commonName: 'gateway',
    ipAddresses: ['127.0.0.1'],
    usages: 'server',
    validityMs,
    clock,
  });
  gateway = createServer({ cert, key });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  ({ port } = gateway.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => gateway.close(resolve)));
beforeEach(() => {
  api = new ApiServer({
    store: new MemoryStore(),
    resources: authKinds(ALL_KINDS),
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.34.0', major: '1', minor: '34' },
  });
  client = new KubeClient(api.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] }));
});
afterEach(() => api.close());

async function registeredWebhook(url: string, caBundle: string): Promise<void> {
  await client.resource(ValidatingWebhookConfigurations).create(webhookConfiguration({ url, caBundle, identity }));
}

test('reports no webhook before a gateway runs', async () => {
  expect(await observeWebhook(client)).toBeUndefined();
});

test('trusts what the gateway registers, and hides the webhook’s secret path', async () => {
  await registeredWebhook(`https://127.0.0.1:${port}/webhook/secret`, ownCertificate);

  expect(await observeWebhook(client)).toEqual({
    name: 'admission.fairway.dev',
    faults: [],
    origin: `https://127.0.0.1:${port}`,
    probe: { kind: 'trusted', validTo: expect.stringMatching(/GMT$/) as string },
  });
});

test('does not trust a certificate from another CA, or a certificate for other names', async () => {
  await registeredWebhook(`https://127.0.0.1:${port}/webhook/secret`, otherCertificate);
  expect(await observeWebhook(client)).toMatchObject({ probe: { kind: 'distrusted' } });
  await client.resource(ValidatingWebhookConfigurations).delete('admission.fairway.dev');

  await registeredWebhook(`https://localhost:${port}/webhook/secret`, ownCertificate);
  expect(await observeWebhook(client)).toMatchObject({
    probe: { kind: 'distrusted', code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
});

test('reports that no server is listening', async () => {
  const [free = 0] = await freePorts(1);
  await registeredWebhook(`https://127.0.0.1:${free}/webhook/secret`, ownCertificate);

  expect(await observeWebhook(client)).toMatchObject({ probe: { kind: 'silent', code: 'ECONNREFUSED' } });
});

test('reports a missing Service, and sends requests to an existing one under its own name', async () => {
  const caBundle = ownCertificate;
  const configuration = webhookConfiguration({ url: `https://fairway.system.svc:${port}/secret`, caBundle, identity });
  await client.resource(ValidatingWebhookConfigurations).create(configuration);
  expect(await observeWebhook(client)).toMatchObject({
    origin: `https://fairway.system.svc:${port}`,
    probe: { kind: 'silent', code: 'the Service does not exist' },
  });

  await client.resource(Namespaces).create({ metadata: { name: 'system' }, spec: {} });
  const metadata = { name: 'fairway', namespace: 'system' };
  await client.resource(Services).create({ metadata, spec: { clusterIP: '127.0.0.1', ports: [{ port }] } });
  expect(await observeWebhook(client)).toMatchObject({
    probe: { kind: 'distrusted', code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
});

test('reports changes by users', async () => {
  const { webhooks = [], ...rest } = webhookConfiguration({
    url: 'https://127.0.0.1:1/',
    caBundle: ownCertificate,
    identity,
  });
  const [first] = webhooks;
  await client.resource(ValidatingWebhookConfigurations).create({
    ...rest,
    webhooks: first ? [{ ...first, failurePolicy: 'Ignore' }] : [],
  });

  expect(await observeWebhook(client)).toMatchObject({
    faults: [
      'admission.fairway.dev: Ignore, not Fail',
      'catalogue.fairway.dev is missing',
      'requests.fairway.dev is missing',
    ],
  });
});
