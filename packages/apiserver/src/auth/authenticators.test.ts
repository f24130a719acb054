import { X509Certificate } from 'node:crypto';
import { formatTime } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods, Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { joinPemBundles } from '@fairway/kube/pki/certificate-info';
import { type CertificateOptions, issueCertificate } from '@fairway/kube/pki/issue-certificate';
import {
  createServiceAccountKeys,
  loadServiceAccountKeys,
  type ServiceAccountKeys,
} from '@fairway/kube/pki/service-account-keys';
import { TrustStore } from '@fairway/kube/pki/trust-store';
import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBootstrapTokenAuthenticator } from './bootstrap-tokens.ts';
import { FakeObjectReader } from './object-reader-fake.ts';
import {
  createServiceAccountAuthenticator,
  type ServiceAccountTokenSubject,
  signServiceAccountToken,
} from './service-account-tokens.ts';
import { createUnionAuthenticator, createUnionTokenAuthenticator } from './union-authenticator.ts';
import type { Authenticator } from './user.ts';
import { createX509Authenticator } from './x509-authenticator.ts';

const HOUR_MS = 3_600_000;
const API = ['https://kubernetes.default.svc'];
const ISSUER = 'https://kubernetes.default.svc';

let clock: FakeClock;
let reader: FakeObjectReader;
let authority: CertificateAuthority;
let foreign: CertificateAuthority;
let keys: ServiceAccountKeys;
let foreignKeys: ServiceAccountKeys;

beforeAll(async () => {
  const options = { commonName: 'kubernetes', clock: new FakeClock(), validityMs: 24 * HOUR_MS };
  [authority, foreign] = [await createCertificateAuthority(options), await createCertificateAuthority(options)];
  [keys, foreignKeys] = [await createServiceAccountKeys(), await createServiceAccountKeys()];
});

beforeEach(() => {
  clock = new FakeClock();
  reader = new FakeObjectReader();
  reader.put(ServiceAccounts, { metadata: { namespace: 'shop', name: 'web', uid: 'sa-1' } });
  reader.put(Pods, { metadata: { namespace: 'shop', name: 'web-0', uid: 'pod-1' }, spec: { containers: [] } });
  reader.put(Secrets, { metadata: { namespace: 'shop', name: 'web-token', uid: 'secret-1' } });
  reader.put(Nodes, { metadata: { name: 'n1', uid: 'node-1' }, spec: {} });
});

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error instanceof ApiError ? error.code : error;
  }
}

async function certificate(
  options: Partial<CertificateOptions> & { by?: CertificateAuthority } = {},
): Promise<Uint8Array> {
  const { by = authority, ...rest } = options;
  const issued = await issueCertificate(by, {
    commonName: 'alice',
    organizations: ['dev', 'ops'],
    usages: 'client',
    validityMs: HOUR_MS,
    clock,
    ...rest,
  });
  return new X509Certificate(issued.certificatePem).raw;
}

describe('client certificates', () => {
  let trust: TrustStore;
  let authenticator: Authenticator;
  beforeEach(() => {
    trust = new TrustStore(authority.certificatePem);
    authenticator = createX509Authenticator(() => trust, clock);
  });

  test('provide the user and groups, with their fingerprint as the credential ID', async () => {
    const clientCertificate = await certificate();
    const fingerprint = new X509Certificate(clientCertificate).fingerprint256.replaceAll(':', '').toLowerCase();
    expect(await authenticator.authenticate({ clientCertificate })).toEqual({
      username: 'alice',
      groups: ['dev', 'ops'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    });
  });

  test.each([
    ['of a foreign authority with the same name', () => certificate({ by: foreign })],
    [
      'of a foreign authority, claiming system:masters',
      () => certificate({ by: foreign, organizations: ['system:masters'] }),
    ],
    ['meant for servers', () => certificate({ usages: 'server' })],
    ['that cannot be parsed', async () => new Uint8Array([0x30, 0x03, 1, 2, 3])],
    ['that are not yet valid', () => certificate({ clock: new FakeClock(clock.now() + HOUR_MS) })],
  ])('%s are rejected', async (_name, make) => {
    expect(await codeOf(authenticator.authenticate({ clientCertificate: await make() }))).toBe(401);
  });

  test('expire during a connection', async () => {
    const clientCertificate = await certificate({ validityMs: HOUR_MS });
    expect(await authenticator.authenticate({ clientCertificate })).toBeDefined();
    await clock.advance(HOUR_MS + 1000);
    expect(await codeOf(authenticator.authenticate({ clientCertificate }))).toBe(401);
  });

  test('issued by the old CA are accepted until a rotation ends', async () => {
    const clientCertificate = await certificate();
    trust = new TrustStore(joinPemBundles(foreign.certificatePem, authority.certificatePem));
    expect(await authenticator.authenticate({ clientCertificate })).toBeDefined();
    trust = new TrustStore(foreign.certificatePem);
    expect(await codeOf(authenticator.authenticate({ clientCertificate }))).toBe(401);
  });

  test('do not authenticate without a common name', async () => {
    const clientCertificate = await certificate({ commonName: '' });
    expect(await authenticator.authenticate({ clientCertificate })).toBeUndefined();
  });
});

describe('service-account tokens', () => {
  const SUBJECT: ServiceAccountTokenSubject = { namespace: 'shop', serviceAccount: { name: 'web', uid: 'sa-1' } };
  const sign = (subject: Partial<ServiceAccountTokenSubject> = {}, audiences = API, signer = keys, issuer = ISSUER) =>
    signServiceAccountToken({ issuer, keys: signer, clock }, { ...SUBJECT, ...subject }, audiences, 3600);
  const authenticate = (token: string, audiences = API) =>
    createServiceAccountAuthenticator(reader, { issuer: ISSUER, keys, clock }).authenticateToken(token, audiences);
  const claims = { 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'web', uid: 'sa-1' } } };

  test('authenticate their account, and include the pod and node', async () => {
    const token = await sign({ pod: { name: 'web-0', uid: 'pod-1' }, node: { name: 'n1', uid: 'node-1' } });
    expect(await authenticate(token)).toEqual({
      audiences: API,
      user: {
        username: 'system:serviceaccount:shop:web',
        uid: 'sa-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
        extra: {
          'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)],
          'authentication.kubernetes.io/pod-name': ['web-0'],
          'authentication.kubernetes.io/pod-uid': ['pod-1'],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': ['node-1'],
        },
      },
    });
  });

  test.each([
    ['signed by another cluster with the same issuer', () => sign({}, API, foreignKeys)],
    ['for another audience', () => sign({}, ['vault'])],
    [
      'with the UID of an account that was deleted and recreated',
      () => sign({ serviceAccount: { name: 'web', uid: 'old' } }),
    ],
    ['of an account that does not exist', () => sign({ serviceAccount: { name: 'gone', uid: 'sa-1' } })],
    ['of an account in another namespace', () => sign({ namespace: 'other' })],
    ['bound to a pod that no longer exists', () => sign({ pod: { name: 'web-9', uid: 'pod-9' } })],
    ['bound to a pod with another UID', () => sign({ pod: { name: 'web-0', uid: 'pod-0' } })],
    ['bound to a Secret with another UID', () => sign({ secret: { name: 'web-token', uid: 'secret-0' } })],
    ['bound to a node with another UID', () => sign({ node: { name: 'n1', uid: 'node-0' } })],
    [
      'without a signature (alg none)',
      async () =>
        new UnsecuredJWT(claims)
          .setIssuer(ISSUER)
          .setSubject('system:serviceaccount:shop:web')
          .setAudience(API)
          .setExpirationTime('1h')
          .encode(),
    ],
    [
      'signed with the public key as an HMAC secret',
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: keys.signing.keyId })
          .setIssuer(ISSUER)
          .setSubject('system:serviceaccount:shop:web')
          .setAudience(API)
          .setExpirationTime(clock.now() / 1000 + 60)
          .sign(Buffer.from(JSON.stringify(keys.signing.jwk))),
    ],
    [
      'that never expire',
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: keys.signing.keyId })
          .setIssuer(ISSUER)
          .setSubject('system:serviceaccount:shop:web')
          .setAudience(API)
          .sign(keys.signing.privateKey),
    ],
    [
      'whose subject is not their account',
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: keys.signing.keyId })
          .setIssuer(ISSUER)
          .setSubject('system:serviceaccount:kube-system:admin')
          .setAudience(API)
          .setExpirationTime(clock.now() / 1000 + 60)
          .sign(keys.signing.privateKey),
    ],
    ['with one bit changed', async () => (await sign()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
  ])('%s are rejected', async (_name, make) => {
    expect(await codeOf(authenticate(await make()))).toBe(401);
  });

  test.each([
    ['is empty', ''],
    ['is not JSON', base64url('noise')],
    ['is not an object', base64url('1')],
    ['is null', base64url('null')],
    ['is not valid UTF-8', base64url('\xff\xfe')],
    ['has a key ID that is not a string', base64url('{"alg":"ES256","kid":{"a":1}}')],
    ['names no algorithm', base64url('{}')],
    ['names the algorithm none', base64url('{"alg":"none"}')],
    ['has an unknown critical parameter', base64url('{"alg":"ES256","crit":["x"],"x":1}')],
    ['contains its own key', base64url('{"alg":"HS256","jwk":{"kty":"oct","k":"AA"}}')],
  ])('are rejected with 401 if their header %s', async (_, header) => {
    const payload = base64url(JSON.stringify({ iss: ISSUER, sub: 'a', aud: API, exp: clock.now() / 1000 + 60 }));
    for (const signature of ['', 'AAAA', '*']) {
      expect(await codeOf(authenticate(`${header}.${payload}.${signature}`))).toBe(401);
    }
  });

  test('have a validity period', async () => {
    const token = await sign();
    await clock.advance(3600_000 - 1000);
    expect(await authenticate(token)).toBeDefined();
    await clock.advance(1000);
    expect(await codeOf(authenticate(token))).toBe(401);

    const tomorrow = new FakeClock(clock.now() + 24 * HOUR_MS);
    const early = await signServiceAccountToken({ issuer: ISSUER, keys, clock: tomorrow }, SUBJECT, API, 3600);
    expect(await codeOf(authenticate(early))).toBe(401);
  });

  test('remain valid for a minute beyond the grace period of a pod being deleted', async () => {
    const deletionTimestamp = formatTime(clock.now());
    reader.put(Pods, {
      metadata: { namespace: 'shop', name: 'web-0', uid: 'pod-1', deletionTimestamp },
      spec: { containers: [] },
    });
    const token = await sign({ pod: { name: 'web-0', uid: 'pod-1' } });
    await clock.advance(60_000);
    expect(await authenticate(token)).toBeDefined();
    await clock.advance(1000);
    expect(await codeOf(authenticate(token))).toBe(401);
  });

  test('are left to other authenticators if they have a different issuer or are not JWTs', async () => {
    expect(await authenticate(await sign({}, API, keys, 'https://elsewhere.example'))).toBeUndefined();
    expect(await authenticate('noise')).toBeUndefined();
  });

  test('remain valid while their retired key is kept for verification', async () => {
    const token = await sign();
    const rotated = await loadServiceAccountKeys(foreignKeys.signing.privateKeyPem, [keys.signing.privateKeyPem]);
    const authenticator = createServiceAccountAuthenticator(reader, { issuer: ISSUER, keys: rotated, clock });
    expect(await authenticator.authenticateToken(token, API)).toBeDefined();
  });
});

function base64url(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64url');
}

describe('bootstrap tokens', () => {
  const TOKEN = 'abcdef.0123456789abcdef';
  const secret = (data: Record<string, string>, type = 'bootstrap.kubernetes.io/token', id = 'abcdef'): Secret => ({
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type,
    data: Object.fromEntries(
      Object.entries({
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...data,
      }).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  });
  const authenticate = (token: string) =>
    createBootstrapTokenAuthenticator(reader, clock, API).authenticateToken(token, API);

  test('provide their groups', async () => {
    reader.put(Secrets, secret({ 'auth-extra-groups': 'system:bootstrappers:pool-a, system:bootstrappers:fairway' }));
    expect(await authenticate(TOKEN)).toEqual({
      audiences: API,
      user: {
        username: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers', 'system:bootstrappers:pool-a', 'system:bootstrappers:fairway'],
      },
    });
  });

  test.each([
    ['with a wrong secret', 'abcdef.0123456789abcdee', () => secret({})],
    ['that are unknown', 'aaaaaa.0123456789abcdef', () => secret({})],
    ['in capital letters', 'ABCDEF.0123456789ABCDEF', () => secret({})],
    ['expired', TOKEN, () => secret({ expiration: formatTime(clock.now()) })],
    ['with an expiration that is not a time', TOKEN, () => secret({ expiration: 'never' })],
    ['not meant for authentication', TOKEN, () => secret({ 'usage-bootstrap-authentication': 'false' })],
    ['in a Secret of another type', TOKEN, () => secret({}, 'Opaque')],
    ['in a Secret with another name', TOKEN, () => secret({}, undefined, 'zzzzzz')],
    ['that request system:masters', TOKEN, () => secret({ 'auth-extra-groups': 'system:masters' })],
  ])('%s do not authenticate', async (_name, token, make) => {
    reader.put(Secrets, make());
    expect(await authenticate(token)).toBeUndefined();
  });
});

describe('the union of authenticators', () => {
  const root = { username: 'root', groups: ['system:masters'] };
  const union = (allowAnonymous: boolean) =>
    createUnionAuthenticator({
      authenticators: [createX509Authenticator(() => new TrustStore(authority.certificatePem), clock)],
      tokens: createUnionTokenAuthenticator([
        { authenticateToken: async (token) => (token === 's3cret' ? { user: root, audiences: API } : undefined) },
        createServiceAccountAuthenticator(reader, { issuer: ISSUER, keys, clock }),
        createBootstrapTokenAuthenticator(reader, clock, API),
      ]),
      apiAudiences: API,
      allowAnonymous,
    });

  test('treats a request without credentials as anonymous, or as unauthenticated if anonymous access is disabled', async () => {
    expect(await union(true).authenticate({})).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
    expect(await codeOf(union(false).authenticate({}))).toBe(401);
  });

  test('adds every authenticated user to system:authenticated', async () => {
    expect(await union(true).authenticate({ bearerToken: 's3cret' })).toEqual({
      username: 'root',
      groups: ['system:masters', 'system:authenticated'],
    });
    const clientCertificate = await certificate();
    expect((await union(true).authenticate({ clientCertificate }))?.groups).toEqual([
      'dev',
      'ops',
      'system:authenticated',
    ]);
  });

  test('rejects bad credentials with 401 even if anonymous requests are allowed', async () => {
    expect(await codeOf(union(true).authenticate({ bearerToken: 'wrong' }))).toBe(401);
    expect(await codeOf(union(true).authenticate({ bearerToken: '' }))).toBe(401);
    expect(await codeOf(union(true).authenticate({ clientCertificate: await certificate({ by: foreign }) }))).toBe(401);
  });

  test('accepts a valid token despite a bad certificate, and a valid certificate despite a bad token', async () => {
    const bad = await certificate({ by: foreign });
    const good = await certificate();
    expect((await union(true).authenticate({ clientCertificate: bad, bearerToken: 's3cret' }))?.username).toBe('root');
    expect((await union(true).authenticate({ clientCertificate: good, bearerToken: 'wrong' }))?.username).toBe('alice');
  });
});
