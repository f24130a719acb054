import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  call,
  logIn,
  logInWith,
  passwordRequest,
  startTestCloud,
  TEST_PASSWORD,
  type TestCloud,
} from '../../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

const TOKENS = '/identity/v3/auth/tokens';
const UNAUTHENTICATED = {
  error: { code: 401, message: 'The request you have made requires authentication.', title: 'Unauthorized' },
};
const demoProject = { project: { name: 'demo', domain: { name: 'Default' } } };

const issue = (request: object) => call(test.origin, 'POST', TOKENS, request);

describe('password', () => {
  it.each([
    ['a project', demoProject, { project: { name: 'demo' }, roles: [{ name: 'member' }, { name: 'reader' }] }],
    ['no project', undefined, { methods: ['password'] }],
  ])('issues a token for %s', async (_name, scope, expected) => {
    const { status, headers, body } = await issue(passwordRequest('demo', TEST_PASSWORD, scope));

    expect(status).toBe(201);
    expect(headers.get('x-subject-token')).toMatch(/^gAAAAA/);
    expect(body['token']).toMatchObject({ user: { name: 'demo', domain: { id: 'default' } }, ...expected });
  });

  it('omits roles and catalog from an unscoped token', async () => {
    const { body } = await issue(passwordRequest('demo', TEST_PASSWORD, { unscoped: {} }));

    expect(body['token']).not.toHaveProperty('catalog');
    expect(body['token']).not.toHaveProperty('roles');
  });

  it.each([
    ['system', { system: { all: true } }, { system: { all: true } }],
    ['domain', { domain: { id: 'default' } }, { domain: { name: 'Default' } }],
  ])('issues a %s token to an administrator', async (_name, scope, expected) => {
    const { status, body } = await issue(passwordRequest('admin', TEST_PASSWORD, scope));

    expect(status).toBe(201);
    expect(body['token']).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['a wrong password', passwordRequest('demo', 'wrong')],
    ['an unknown user', passwordRequest('nobody', TEST_PASSWORD)],
    [
      'a project without a role',
      passwordRequest('demo', TEST_PASSWORD, { project: { name: 'other', domain: { id: 'default' } } }),
    ],
    ['an unknown project', passwordRequest('demo', TEST_PASSWORD, { project: { id: 'x' } })],
    ['the system without a role', passwordRequest('demo', TEST_PASSWORD, { system: { all: true } })],
    ['an unknown domain', passwordRequest('admin', TEST_PASSWORD, { domain: { name: 'Nowhere' } })],
  ])('is rejected for %s, always with the same message', async (_name, request) => {
    const { status, body } = await issue(request);

    expect(status).toBe(401);
    expect(body).toEqual(UNAUTHENTICATED);
  });

  it('names the missing fields of a malformed request', async () => {
    const { status, body } = await issue({ auth: {} });

    expect(status).toBe(400);
    expect(body['error']?.['message']).toMatch(/^Expecting to find identity in auth\./);
  });
});

describe('a token', () => {
  it('expires after its lifetime', async () => {
    const user = await logIn(test.origin, 'other', 'other');
    await test.clock.advance(60 * 60 * 1000 - 1);
    const beforeExpiry = await user.call('GET', TOKENS, undefined, { 'X-Subject-Token': user.token });
    await test.clock.advance(1);
    const expired = await user.call('GET', '/network/v2.0/networks');

    expect(beforeExpiry.status).toBe(200);
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toMatch(/^Keystone uri=/);
    expect(expired.body).toEqual(UNAUTHENTICATED);
  });

  it('obtained with a token expires with that token', async () => {
    const user = await logIn(test.origin, 'demo', 'demo');
    await test.clock.advance(30 * 60 * 1000);
    const { body } = await issue({
      auth: { identity: { methods: ['token'], token: { id: user.token } }, scope: demoProject },
    });
    const first = await user.call('GET', TOKENS, undefined, { 'X-Subject-Token': user.token });

    expect(body['token']).toMatchObject({ methods: ['token', 'password'] });
    expect(body['token']?.['expires_at']).toEqual(first.body['token']?.['expires_at']);
    expect(body['token']?.['audit_ids']).toHaveLength(2);
  });

  it('is invalid once revoked, while tokens obtained with it remain valid', async () => {
    const user = await logIn(test.origin, 'demo', 'demo');
    const child = await logInWith(test.origin, {
      auth: { identity: { methods: ['token'], token: { id: user.token } }, scope: demoProject },
    });
    const revoked = await user.call('DELETE', TOKENS, undefined, { 'X-Subject-Token': user.token });

    expect(revoked.status).toBe(204);
    expect((await user.call('GET', '/network/v2.0/networks')).status).toBe(401);
    expect((await child.call('GET', '/network/v2.0/networks')).status).toBe(200);
  });

  it('is invalid when modified', async () => {
    const user = await logIn(test.origin, 'demo', 'demo');
    const [payload, signature] = [user.token.slice('gAAAAA'.length, -43), user.token.slice(-43)];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, scope: { kind: 'system' } })).toString('base64url');

    const response = await call(test.origin, 'GET', '/network/v2.0/networks', undefined, {
      'X-Auth-Token': `gAAAAA${forged}${signature}`,
    });

    expect(response.status).toBe(401);
  });

  it('can be validated only by administrators for another user', async () => {
    const [admin, demo, other] = await Promise.all([
      logIn(test.origin, 'admin', 'admin'),
      logIn(test.origin, 'demo', 'demo'),
      logIn(test.origin, 'other', 'other'),
    ]);
    const subject = { 'X-Subject-Token': demo.token };

    expect((await admin.call('GET', TOKENS, undefined, subject)).status).toBe(200);
    expect((await other.call('GET', TOKENS, undefined, subject)).status).toBe(403);
    expect((await admin.call('GET', TOKENS, undefined, { 'X-Subject-Token': 'gAAAAAx.y' })).status).toBe(404);
  });

  it('has a catalog with the address that the client used', async () => {
    const { body } = await issue(passwordRequest('demo', TEST_PASSWORD, demoProject));
    const catalog = body['token']?.['catalog'] as unknown as readonly {
      type: string;
      endpoints: readonly { interface: string; url: string; region: string }[];
    }[];

    expect(catalog.map(({ type }) => type)).toEqual([
      'identity',
      'compute',
      'network',
      'image',
      'load-balancer',
      'placement',
      'block-storage',
      'volumev3',
      'shared-file-system',
      'sharev2',
      'key-manager',
    ]);
    for (const { endpoints } of catalog) {
      expect(endpoints.map((endpoint) => endpoint.interface)).toEqual(['public', 'internal', 'admin']);
      for (const { url } of endpoints) expect(url.startsWith(test.origin)).toBe(true);
    }
  });
});
