import { FakeClock } from '@fairway/base/clock-fake';
import type { Informer } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthServer, master } from '../auth-server-fixture.ts';
import type { Authenticator } from '../user.ts';
import { createAccessReviewAuthorizer } from './access-review-authorizer.ts';
import { AUTHENTICATION_CONFIG, authenticationConfig, createClientAuthorityAuthenticator } from './client-authority.ts';
import { createTokenReviewAuthenticator } from './token-review-authenticator.ts';

/** Longer than a token review stays cached. */
const CACHE_TTL_MS = 10_000;
const HOUR_MS = 3_600_000;

let server: AuthServer;
let requests: number;
let client: KubeClient;
beforeEach(async () => {
  server = await AuthServer.start();
  requests = 0;
  client = new KubeClient(counted(server.server.transport(master)));
});
afterEach(() => server[Symbol.asyncDispose]());

function counted(transport: Transport): Transport {
  return {
    request(request) {
      requests++;
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}

describe('a token', () => {
  let clock: FakeClock;
  let authenticator: Authenticator;
  let token: string;
  beforeEach(async () => {
    clock = new FakeClock();
    authenticator = createTokenReviewAuthenticator(client, clock);
    const robot = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'shop' } };
    await client.resource(ServiceAccounts).create(robot);
    const path = '/api/v1/namespaces/shop/serviceaccounts/robot/token';
    const { body } = await server.call(master, 'POST', path, { spec: {} });
    token = (body['status'] as { token: string }).token;
    requests = 0;
  });

  it('authenticates the user of the TokenReview, with groups and UID', async () => {
    const user = await authenticator.authenticate({ bearerToken: token });

    expect(user).toMatchObject({ username: 'system:serviceaccount:shop:robot', uid: expect.stringMatching(/./) });
    expect(user?.groups).toContain('system:serviceaccounts:shop');
  });

  it('is reviewed only once while the result is fresh, regardless of the number of requests', async () => {
    await Promise.all([1, 2, 3].map(() => authenticator.authenticate({ bearerToken: token })));
    await clock.advance(CACHE_TTL_MS - 1);
    await authenticator.authenticate({ bearerToken: token });

    expect(requests).toBe(1);
  });

  it('is rejected after its account is deleted, once the result has expired', async () => {
    await authenticator.authenticate({ bearerToken: token });
    await client.resource(ServiceAccounts).delete('robot', { namespace: 'shop' });
    await clock.advance(CACHE_TTL_MS);

    await expect(authenticator.authenticate({ bearerToken: token })).rejects.toMatchObject({ code: 401 });
  });

  it('is rejected if unknown, and reviewed only once', async () => {
    const refused = () => expect(authenticator.authenticate({ bearerToken: 'x' })).rejects.toMatchObject({ code: 401 });
    await refused();
    await refused();

    expect(requests).toBe(1);
  });

  it('is not rejected if the API server is unavailable', async () => {
    const unreachableClient = new KubeClient({ request: () => Promise.reject(new Error('away')), close: () => {} });
    const authentication = createTokenReviewAuthenticator(unreachableClient, clock).authenticate({
      bearerToken: token,
    });

    await expect(authentication).rejects.toThrow('away');
  });

  it('is optional: another authenticator may recognise the caller', async () => {
    expect(await authenticator.authenticate({})).toBeUndefined();
    expect(requests).toBe(0);
  });
});

describe('a client certificate', () => {
  let informers: InformerSet;
  let configs: Informer<ConfigMap>;
  let authenticator: Authenticator;
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
    informers = new InformerSet(client);
    configs = authenticationConfig(informers);
    authenticator = createClientAuthorityAuthenticator(configs, new FakeClock(Date.now()));
  });
  afterEach(async () => {
    stop.abort();
    await informers.stopped();
  });

  async function newAuthority(): Promise<CertificateAuthority> {
    const clock = new FakeClock(Date.now());
    return createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: HOUR_MS });
  }

  async function certificateOf(authority: CertificateAuthority): Promise<Uint8Array> {
    const clock = new FakeClock(Date.now());
    const options = { commonName: 'alice', organizations: ['devs'], usages: 'client', validityMs: HOUR_MS } as const;
    const { certificatePem } = await issueCertificate(authority, { ...options, clock });
    return Buffer.from(certificatePem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  }

  async function trustAuthorities(...authorities: readonly CertificateAuthority[]): Promise<void> {
    const data = { 'client-ca-file': authorities.map(({ certificatePem }) => certificatePem).join('') };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...AUTHENTICATION_CONFIG }, data };
    const maps = client.resource(ConfigMaps);
    const { items } = await maps.list({ namespace: AUTHENTICATION_CONFIG.namespace });
    if (items.length === 0) await maps.create(config);
    else await maps.update(config);
  }

  async function start(): Promise<void> {
    informers.start(stop.signal);
    await informers.whenSynced(stop.signal);
  }

  it('is accepted if the API server trusts its CA', async () => {
    const authority = await newAuthority();
    await trustAuthorities(authority);
    await start();

    const user = await authenticator.authenticate({ clientCertificate: await certificateOf(authority) });
    expect(user).toMatchObject({ username: 'alice', groups: ['devs'] });
    const foreignCertificate = await certificateOf(await newAuthority());
    await expect(authenticator.authenticate({ clientCertificate: foreignCertificate })).rejects.toMatchObject({
      code: 401,
    });
  });

  it('is ignored if the API server has no client CA', async () => {
    await start();
    const clientCertificate = await certificateOf(await newAuthority());

    expect(await authenticator.authenticate({ clientCertificate })).toBeUndefined();
  });

  it('is checked against the current CAs, on open connections too', async () => {
    const [former, next] = [await newAuthority(), await newAuthority()];
    const [old, fresh] = [await certificateOf(former), await certificateOf(next)];
    await trustAuthorities(former);
    await start();
    await authenticator.authenticate({ clientCertificate: old });
    const updated = new Promise<void>((resolve) => configs.addHandler({ onUpdate: () => resolve() }));
    await trustAuthorities(next);
    await updated;

    expect(await authenticator.authenticate({ clientCertificate: fresh })).toMatchObject({ username: 'alice' });
    await expect(authenticator.authenticate({ clientCertificate: old })).rejects.toMatchObject({ code: 401 });
  });
});

describe('a permission', () => {
  const bob = { username: 'bob', groups: ['system:authenticated'] };
  const attributes = { verb: 'get', group: '', version: 'v1', resource: 'secrets', subresource: '', namespace: 'shop' };

  it('is decided by the API server', async () => {
    const authorizer = createAccessReviewAuthorizer(client);

    expect(await authorizer.authorize({ user: bob, ...attributes, name: 's' })).toMatchObject({ allowed: false });
    expect(await authorizer.authorize({ user: master, ...attributes, name: 's' })).toMatchObject({ allowed: true });
    expect(await authorizer.authorize({ user: bob, verb: 'get', path: '/version' })).toMatchObject({ allowed: true });
    expect(await authorizer.authorize({ user: bob, verb: 'get', path: '/metrics' })).toMatchObject({ allowed: false });
  });
});
