import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CreatedObject,
  call,
  firstListed,
  logInWith,
  passwordRequest,
  startTestCloud,
  TEST_PASSWORD,
  type TestCloud,
  type TestUser,
} from '../../test-cloud.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

function makeCredential(user: TestUser, fields: object = {}): Promise<CreatedObject> {
  return user.make(`/identity/v3/users/${user.userId}/application_credentials`, {
    application_credential: { name: 'ac', ...fields },
  });
}

const credentialAuth = (credential: CreatedObject, secret: unknown = credential['secret']) => ({
  auth: {
    identity: { methods: ['application_credential'], application_credential: { id: credential.id, secret } },
  },
});

describe('an application credential', () => {
  it('authenticates in its project with its roles, by id or by name', async () => {
    const credential = await makeCredential(test.demo, { roles: [{ name: 'reader' }] });
    const byId = await logInWith(test.origin, credentialAuth(credential));
    const byName = await logInWith(test.origin, {
      auth: {
        identity: {
          methods: ['application_credential'],
          application_credential: {
            name: 'ac',
            secret: credential['secret'],
            user: { name: 'demo', domain: { id: 'default' } },
          },
        },
      },
    });

    expect(byId.projectId).toBe(test.demo.projectId);
    expect(byName.projectId).toBe(test.demo.projectId);
    expect((await byId.call('GET', '/network/v2.0/networks')).status).toBe(200);
    expect((await byId.call('POST', '/network/v2.0/networks', { network: {} })).status).toBe(403);
  });

  it('never returns its secret again', async () => {
    const credential = await makeCredential(test.demo);
    const path = `/identity/v3/users/${test.demo.userId}/application_credentials/${credential.id}`;

    expect((await test.demo.call('GET', path)).body['application_credential']).not.toHaveProperty('secret');
  });

  it('is invalid once deleted, as are its tokens', async () => {
    const credential = await makeCredential(test.demo);
    const user = await logInWith(test.origin, credentialAuth(credential));
    const path = `/identity/v3/users/${test.demo.userId}/application_credentials/${credential.id}`;
    await test.demo.call('DELETE', path);

    expect((await user.call('GET', '/network/v2.0/networks')).status).toBe(401);
    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', credentialAuth(credential))).status).toBe(404);
  });

  it('expires, and so do its tokens', async () => {
    const expiresMs = test.clock.now() + 10 * 60 * 1000;
    const credential = await makeCredential(test.demo, { expires_at: new Date(expiresMs).toISOString() });
    const user = await logInWith(test.origin, credentialAuth(credential));
    await test.clock.advance(10 * 60 * 1000);

    expect((await user.call('GET', '/network/v2.0/networks')).status).toBe(401);
    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', credentialAuth(credential))).status).toBe(401);
  });

  it.each([
    [false, 403],
    [true, 201],
  ])('creates another application credential if unrestricted is %s: %i', async (unrestricted, status) => {
    const user = await logInWith(test.origin, credentialAuth(await makeCredential(test.demo, { unrestricted })));

    const response = await user.call('POST', `/identity/v3/users/${user.userId}/application_credentials`, {
      application_credential: { name: 'second' },
    });

    expect(response.status).toBe(status);
  });

  it.each<[string, object, number]>([
    ['a role that its owner lacks', { roles: [{ name: 'admin' }] }, 400],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 400],
    ['access rules, which are not served', { access_rules: [{ path: '/', method: 'GET', service: 'compute' }] }, 400],
  ])('is rejected with %s', async (_name, fields, status) => {
    const path = `/identity/v3/users/${test.demo.userId}/application_credentials`;

    const response = await test.demo.call('POST', path, { application_credential: { name: 'x', ...fields } });

    expect(response.status).toBe(status);
  });

  it('rejects a wrong secret and a duplicate name', async () => {
    const credential = await makeCredential(test.demo);
    const path = `/identity/v3/users/${test.demo.userId}/application_credentials`;

    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', credentialAuth(credential, 'x'))).status).toBe(
      401,
    );
    expect((await test.demo.call('POST', path, { application_credential: { name: 'ac' } })).status).toBe(409);
    expect((await test.other.call('GET', path)).status).toBe(403);
  });
});

describe('a trust', () => {
  const trustAuth = (id: string) => passwordRequest('other', TEST_PASSWORD, { 'OS-TRUST:trust': { id } });

  function makeTrust(fields: object = {}): Promise<CreatedObject> {
    return test.demo.make('/identity/v3/OS-TRUST/trusts', {
      trust: {
        trustor_user_id: test.demo.userId,
        trustee_user_id: test.other.userId,
        project_id: test.demo.projectId,
        impersonation: true,
        roles: [{ name: 'member' }],
        ...fields,
      },
    });
  }

  it('lets the trustee work in the project as the trustor', async () => {
    const trust = await makeTrust();
    const user = await logInWith(test.origin, trustAuth(trust.id));

    expect(user).toMatchObject({ projectId: test.demo.projectId, userId: test.demo.userId });
    expect((await user.call('POST', '/network/v2.0/networks', { network: {} })).status).toBe(201);
  });

  it('ends when it is deleted, including tokens that it issued', async () => {
    const trust = await makeTrust();
    const user = await logInWith(test.origin, trustAuth(trust.id));
    await test.demo.call('DELETE', `/identity/v3/OS-TRUST/trusts/${trust.id}`);

    expect((await user.call('GET', '/network/v2.0/networks')).status).toBe(401);
    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', trustAuth(trust.id))).status).toBe(404);
  });

  it('can be used up to its remaining_uses', async () => {
    const trust = await makeTrust({ remaining_uses: 1 });
    await logInWith(test.origin, trustAuth(trust.id));

    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', trustAuth(trust.id))).status).toBe(403);
  });

  it('ends when the trustor loses the role', async () => {
    const trust = await makeTrust();
    const user = await logInWith(test.origin, trustAuth(trust.id));
    const role = firstListed(await test.admin.call('GET', '/identity/v3/roles?name=member'), 'roles').id;
    const path = `/identity/v3/projects/${test.demo.projectId}/users/${test.demo.userId}/roles/${role}`;
    expect((await test.admin.call('DELETE', path)).status).toBe(204);

    expect((await user.call('GET', '/network/v2.0/networks')).status).toBe(401);
  });

  it('cannot be used by anyone else', async () => {
    const trust = await makeTrust();
    const asReader = passwordRequest('reader', TEST_PASSWORD, { 'OS-TRUST:trust': { id: trust.id } });

    expect((await call(test.origin, 'POST', '/identity/v3/auth/tokens', asReader)).status).toBe(403);
    expect((await test.reader.call('GET', `/identity/v3/OS-TRUST/trusts/${trust.id}`)).status).toBe(403);
  });

  it('cannot delegate roles that the trustor does not have', async () => {
    const response = await test.demo.call('POST', '/identity/v3/OS-TRUST/trusts', {
      trust: {
        trustor_user_id: test.demo.userId,
        trustee_user_id: test.other.userId,
        impersonation: false,
        roles: [{ name: 'admin' }],
      },
    });

    expect(response.status).toBe(404);
  });
});
