import { Agent, request } from 'node:https';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClusterPki, trustBundle } from '../../pki/cluster-pki.ts';
import { certificateRequirements, issueComponentCertificate } from '../../pki/component-certificates.ts';
import {
  ACCESS_WEBHOOK_URL,
  CONNECTION_RATE,
  isTokenWebhook,
  REQUEST_RATE,
  TOKEN_WEBHOOK_URL,
  TokenWebhook,
  type WebhookTls,
} from '../../process/token-webhook.ts';
import type { ReviewAccess } from '../../runtime.ts';

const ALICE: UserInfo = { username: 'keystone:u1', uid: 'u1', groups: ['keystone:project:p1'], extra: { a: ['b'] } };
const pki = await createClusterPki(systemClock);
const otherPki = await createClusterPki(systemClock);

const requirement = (name: string) => {
  const all = certificateRequirements({
    serviceCIDR: '10.3.0.0/16',
    dnsNames: [],
    ipAddresses: [],
    usesTokenWebhook: true,
  });
  const found = all.find(({ component }) => component === name);
  if (found === undefined) throw new Error(`no certificate ${name}`);
  return found;
};
const certificateOf = (name: string, of = pki) => issueComponentCertificate(of, requirement(name), systemClock);

async function tlsOf(of = pki): Promise<WebhookTls> {
  const { certificatePem, privateKeyPem } = await certificateOf('token-webhook', of);
  return { certificate: certificatePem, privateKey: privateKeyPem, clientAuthority: trustBundle(of.frontProxy) };
}

const clock = new FakeClock(Date.now());

/** Errors that the client's TLS connection may fail with. */
const CONNECTION_ERROR = /alert|ECONNRESET|socket hang up|EPIPE|socket disconnected/;

const reviewAccess: ReviewAccess = {
  authorize: ({ user, verb }) => ({
    allowed: verb === 'get' && user.groups.includes('keystone:project:p1'),
    reason: '',
  }),
};

let webhook: TokenWebhook;
let listener: Server;
let requestedPaths: string[];
beforeEach(async () => {
  requestedPaths = [];
  const review = (token: string) => {
    requestedPaths.push(token);
    return Promise.resolve(token === 'good' ? ALICE : undefined);
  };
  webhook = new TokenWebhook(await tlsOf(), { reviewToken: review, reviewAccess }, { clock, log: silentLogger });
  listener = createServer((socket) => webhook.serve(socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => listener.close(resolve)));

interface Client {
  readonly agent?: Agent;
  readonly cert?: string;
  readonly key?: string;
}

const apiServer = async (of = pki): Promise<Client> => {
  const { certificatePem: cert, privateKeyPem: key } = await certificateOf('token-webhook-client', of);
  return { cert, key };
};

/** The status and body, or the reason why there is no response. */
async function post(client: Client, body: string, options: { readonly path?: string; readonly ca?: string } = {}) {
  const { hostname, pathname } = new URL(TOKEN_WEBHOOK_URL);
  const { path = pathname, ca = trustBundle(pki.frontProxy) } = options;
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly text: string }>();
  const { port } = listener.address() as AddressInfo;
  const call = request({
    host: '127.0.0.1',
    port,
    servername: hostname,
    method: 'POST',
    path,
    ca,
    agent: false,
    ...client,
  });
  call.once('error', reject);
  call.once('response', (response) => {
    const status = response.statusCode ?? 0;
    text(response).then((body) => resolve({ status, text: body }), reject);
  });
  call.end(body);
  return promise;
}

const review = (token: string, version = 'authentication.k8s.io/v1') =>
  JSON.stringify({ apiVersion: version, kind: 'TokenReview', spec: { token, audiences: ['a'] }, status: { user: {} } });

describe('token reviews of an API server', () => {
  test('return the user of a token', async () => {
    const { status, text: body } = await post(await apiServer(), review('good'));

    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      status: { authenticated: true, user: ALICE },
    });
  });

  test('return the same response for all other tokens', async () => {
    const { status, text: body } = await post(await apiServer(), review('bad'));

    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: { authenticated: false } });
  });

  test.each([
    { what: 'a body that is not JSON', body: 'token', status: 400 },
    { what: 'another version', body: review('good', 'authentication.k8s.io/v1beta1'), status: 400 },
    { what: 'a review that is too long', body: review('x'.repeat(70_000)), status: 413 },
  ])('return $status for $what, without reviewing a token', async ({ body, status }) => {
    expect(await post(await apiServer(), body)).toMatchObject({ status });
    expect(requestedPaths).toEqual([]);
  });

  test('return 404 for other paths', async () => {
    expect(await post(await apiServer(), review('good'), { path: '/' })).toMatchObject({ status: 404 });
  });

  test('use the next authority during a rotation, in both directions', async () => {
    webhook.setTls(await tlsOf(otherPki));
    webhook.setReviews({ reviewToken: () => Promise.resolve({ ...ALICE, username: 'keystone:u2' }) });

    const { text: body } = await post(await apiServer(otherPki), review('any'), {
      ca: trustBundle(otherPki.frontProxy),
    });

    expect(JSON.parse(body)).toMatchObject({ status: { user: { username: 'keystone:u2' } } });
    await expect(post(await apiServer(), review('any'), { ca: trustBundle(otherPki.frontProxy) })).rejects.toThrow(
      CONNECTION_ERROR,
    );
  });
});

describe('access reviews of an API server', () => {
  const path = new URL(ACCESS_WEBHOOK_URL).pathname;
  const access = (spec: object, version = 'authorization.k8s.io/v1') =>
    JSON.stringify({ apiVersion: version, kind: 'SubjectAccessReview', spec });
  const groups = ['keystone:project:p1'];

  test.each([
    {
      what: 'an allowed request',
      spec: { user: 'u', groups, resourceAttributes: { verb: 'get', resource: 'pods' } },
      allowed: true,
    },
    {
      what: 'an allowed path',
      spec: { user: 'u', groups, nonResourceAttributes: { verb: 'get', path: '/x' } },
      allowed: true,
    },
    { what: 'a denied request', spec: { user: 'u', groups, resourceAttributes: { verb: 'list' } }, allowed: false },
    { what: 'a user without a name', spec: { resourceAttributes: { verb: 'get' } }, allowed: false },
    { what: 'nothing', spec: { user: 'u', groups }, allowed: false },
  ])('return $allowed for $what', async ({ spec, allowed }) => {
    const { status, text: body } = await post(await apiServer(), access(spec), { path });

    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      status: { allowed },
    });
  });

  test('deny access if there is no reviewer', async () => {
    webhook.setReviews({ reviewToken: () => Promise.resolve(undefined) });
    const { text: body } = await post(
      await apiServer(),
      access({ user: 'u', groups, resourceAttributes: { verb: 'get' } }),
      { path },
    );

    expect(JSON.parse(body)).toMatchObject({ status: { allowed: false } });
  });
});

test('rejects reviews beyond a per-minute limit', async () => {
  const client = await apiServer();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = await Promise.all(
    Array.from({ length: REQUEST_RATE.burst + 5 }, () =>
      post({ ...client, agent }, review('bad')).then(({ status }) => status),
    ),
  );
  agent.destroy();

  expect(statuses.filter((status) => status === 200).length).toBe(REQUEST_RATE.burst);
  expect(requestedPaths.length).toBe(REQUEST_RATE.burst);
});

describe('other clients', () => {
  const signed = async (signer: CertificateAuthority, commonName: string): Promise<Client> => {
    const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(signer, {
      commonName,
      organizations: [],
      usages: 'client',
      dnsNames: [],
      ipAddresses: [],
      validityMs: 60_000,
      clock: systemClock,
    });
    return { cert, ...(key !== undefined && { key }) };
  };

  test.each<{ who: string; client: () => Promise<Client> }>([
    { who: 'a webhook of the tenant, which presents no certificate', client: () => Promise.resolve({}) },
    { who: "another cluster's API server", client: () => apiServer(otherPki) },
    {
      who: 'a certificate that the tenant had signed for that name',
      client: () => signed(pki.cluster.active, 'fairway:token-webhook-client'),
    },
    { who: "a user's certificate", client: () => signed(pki.users.active, 'fairway:token-webhook-client') },
  ])('are rejected: $who', async ({ client }) => {
    await expect(post(await client(), review('good'))).rejects.toThrow(CONNECTION_ERROR);
    expect(requestedPaths).toEqual([]);
  });

  test('are refused even with the certificate that the API server presents to aggregated API servers', async () => {
    const { certificatePem: cert, privateKeyPem: key } = await certificateOf('front-proxy-client');

    expect(await post({ cert, key }, review('good'))).toMatchObject({ status: 403 });
    expect(requestedPaths).toEqual([]);
  });
});

test('closes connections beyond a per-minute limit before the TLS handshake', async () => {
  const client = await apiServer();
  for (let index = 0; index < CONNECTION_RATE.burst; index++) webhook.serve(new Socket());

  await expect(post(client, review('good'))).rejects.toThrow(CONNECTION_ERROR);
  await clock.advance(60_000 / CONNECTION_RATE.perMinute);
  expect(await post(client, review('good'))).toMatchObject({ status: 200 });
});

test.each([
  { host: 'token-review.fairway.internal', port: 443, is: true },
  { host: 'Token-Review.fairway.internal.', port: 443, is: true },
  { host: 'token-review.fairway.internal', port: 80, is: false },
  { host: 'fairway.internal', port: 443, is: false },
])('detects whether $host:$port is the webhook: $is', ({ host, port, is }) => {
  expect(isTokenWebhook({ host, port })).toBe(is);
});
