import { createForeignClient } from '@fairway/controllers/testing/foreign-client';
import { Events } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';
import { readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { pkcs12Of } from '../../tls/pkcs12.ts';
import { tlsData } from '../../tls/testing/tls-secret.ts';

const REF = 'loadbalancer.openstack.org/default-tls-container-ref';
const MISSING_REF = 'http://keys.example/v1/secrets/11111111-1111-4111-8111-111111111111';

let fairway: LoadBalancedFairway;
beforeEach(async () => {
  fairway = await LoadBalancedFairway.start();
});
afterEach(() => fairway[Symbol.asyncDispose]());

const keys = () => fairway.fairway.process.project.client.keyManager;

async function bundle(): Promise<string> {
  const certificate = readCertificate({ data: await tlsData('web.example') }) as TlsCertificate;
  return (await pkcs12Of(certificate)).toString('base64');
}

async function store(manager = keys()): Promise<string> {
  return manager.createSecret({
    name: 'web',
    payload: await bundle(),
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  });
}

/** Objects that clients other than Fairway store in Barbican. */
async function make(collection: 'secrets' | 'containers', body: object): Promise<string> {
  const { session } = fairway.fairway.process.project.client;
  const response = await fetch(`${await session.endpoint('key-manager')}/${collection}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-token': (await session.token()).id },
    body: JSON.stringify(body),
  });
  return Object.values((await response.json()) as Record<string, string>)[0] ?? '';
}

async function warnings(): Promise<readonly string[]> {
  const events = fairway.fairway.runtime.client(fairway.clusterUid).resource(Events);
  const { items } = await events.list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ message }) => message ?? '');
}

const text = { payload: 'x', payload_content_type: 'text/plain' };

test.each<{ is: string; reference: () => Promise<string> | string; problem: string }>([
  { is: 'nothing', reference: () => 'my-certificate', problem: 'is not a Barbican reference' },
  {
    is: 'a secret that does not exist',
    reference: () => MISSING_REF,
    problem: 'does not exist: see `openstack secret list`',
  },
  { is: 'a secret without a payload', reference: () => make('secrets', {}), problem: 'has no payload yet' },
  { is: 'plain text', reference: () => make('secrets', text), problem: 'is plain text: it must be a PKCS #12 bundle' },
  {
    is: 'a container of another type',
    reference: () => make('containers', { type: 'generic' }),
    problem: 'is a container of type generic',
  },
  {
    is: 'a certificate without its key',
    reference: async () => {
      const secret_refs = [{ name: 'certificate', secret_ref: await make('secrets', text) }];
      return make('containers', { type: 'certificate', secret_refs });
    },
    problem: 'has no private_key',
  },
])('creates no load balancer for a Service that refers to $is, and reports why', async ({ reference, problem }) => {
  await fairway.create('web', {}, { [REF]: await reference() });
  await fairway.clock.pass(60_000);

  expect(await fairway.trees()).toEqual([]);
  expect(await warnings()).toEqual([expect.stringContaining(problem)]);
});

test('reports a reference to another project’s container', async () => {
  let reference = '';
  await createForeignClient(fairway.fairway, async ({ keyManager }) => {
    reference = await store(keyManager);
  });
  await fairway.create('web', {}, { [REF]: reference });
  await fairway.clock.pass(60_000);

  expect(await fairway.trees()).toEqual([]);
  expect(await warnings()).toEqual([expect.stringContaining('belongs to another project')]);
});

test('serves a bundle and switches to another one as soon as possible; makes no calls while idle', async () => {
  await fairway.create('web', {}, { [REF]: await store() });
  await fairway.clock.pass(60_000);
  const { calls } = fairway.fairway.cloud;
  const keyManagerCalls = () => calls.counts().filter(({ service }) => service === 'key-manager');
  const before = keyManagerCalls();
  await fairway.clock.pass(600_000);
  const after = keyManagerCalls();
  await fairway.patch('web', { metadata: { annotations: { [REF]: MISSING_REF } } });
  await fairway.clock.pass(60_000);
  const kept = (await fairway.trees())[0]?.listeners[0]?.default_tls_container_ref;
  const next = await store();
  await fairway.patch('web', { metadata: { annotations: { [REF]: next } } });
  await fairway.clock.pass(60_000);

  expect(after).toEqual(before);
  expect(kept).not.toBe(MISSING_REF);
  expect((await fairway.trees())[0]?.listeners).toMatchObject([{ default_tls_container_ref: next }]);
});
