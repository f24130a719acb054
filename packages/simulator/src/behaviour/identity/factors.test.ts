import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { totp } from '../../identity/totp.ts';
import { call, passwordRequest, startTestCloud, TEST_PASSWORD, type TestCloud } from '../../test-cloud.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY';
const TOKENS = '/identity/v3/auth/tokens';
const scope = { project: { name: 'demo', domain: { id: 'default' } } };

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
  const { admin, demo } = test;
  await admin.make('/identity/v3/credentials', { credential: { type: 'totp', blob: SECRET, user_id: demo.userId } });
  const options = { multi_factor_auth_rules: [['password', 'totp']] };
  await admin.call('PATCH', `/identity/v3/users/${demo.userId}`, { user: { options } });
});
afterEach(() => test.cloud.close());

const totpAuth = (passcode = totp(SECRET, test.clock.now()), user = 'demo') => ({
  auth: {
    identity: { methods: ['totp'], totp: { user: { name: user, domain: { id: 'default' }, passcode } } },
    scope,
  },
});

describe('a user whose rules require two methods', () => {
  it('gets a receipt for the first method, and a token for the receipt with the second method', async () => {
    const first = await call(test.origin, 'POST', TOKENS, passwordRequest('demo', TEST_PASSWORD, scope));
    const receipt = first.headers.get('openstack-auth-receipt') ?? '';
    const second = await call(test.origin, 'POST', TOKENS, totpAuth(), { 'Openstack-Auth-Receipt': receipt });

    expect(first.status).toBe(401);
    expect(first.body).toMatchObject({
      receipt: { methods: ['password'], user: { name: 'demo' } },
      required_auth_methods: [['password', 'totp']],
    });
    expect(second.status).toBe(201);
    expect(second.body['token']).toMatchObject({ methods: ['totp', 'password'], project: { name: 'demo' } });
  });

  it.each([
    { reason: 'it belongs to another user', user: 'other', afterMs: 0 },
    { reason: 'it has expired', user: 'demo', afterMs: 5 * 60_000 },
  ])('gets no token for a receipt if $reason', async ({ user, afterMs }) => {
    const options = { multi_factor_auth_rules: [['password', 'totp']] };
    await test.admin.call('PATCH', `/identity/v3/users/${test.other.userId}`, { user: { options } });
    const { headers } = await call(test.origin, 'POST', TOKENS, passwordRequest(user, TEST_PASSWORD, scope));
    await test.clock.advance(afterMs);
    const receipt = { 'Openstack-Auth-Receipt': headers.get('openstack-auth-receipt') ?? '' };

    expect((await call(test.origin, 'POST', TOKENS, totpAuth(), receipt)).status).toBe(401);
  });

  it('can exchange a token for one with a different scope', async () => {
    const { headers } = await call(test.origin, 'POST', TOKENS, passwordRequest('demo', TEST_PASSWORD, scope));
    const receipt = { 'Openstack-Auth-Receipt': headers.get('openstack-auth-receipt') ?? '' };
    const issued = await call(test.origin, 'POST', TOKENS, totpAuth(), receipt);
    const token = { id: issued.headers.get('x-subject-token') };
    const again = await call(test.origin, 'POST', TOKENS, { auth: { identity: { methods: ['token'], token }, scope } });

    expect(again.status).toBe(201);
  });

  it('needs only one method when the rules are disabled', async () => {
    const options = { multi_factor_auth_rules: [['password', 'totp']], multi_factor_auth_enabled: false };
    await test.admin.call('PATCH', `/identity/v3/users/${test.demo.userId}`, { user: { options } });

    expect((await call(test.origin, 'POST', TOKENS, passwordRequest('demo', TEST_PASSWORD, scope))).status).toBe(201);
  });
});
