import { randomBytes } from 'node:crypto';
import { isApiError } from '@fairway/kube/object/api-error';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS, TOKEN_CACHE_TTL_MS, TOKEN_CACHE_TTL_WITHOUT_EVENTS_MS, UNKNOWN_TTL_MS } from '../keystone-tokens.ts';
import { KeystoneUnavailableError } from '../keystone-unavailable-error.ts';
import { startTestKeystone, type TestKeystone } from '../testing/test-keystone.ts';

const VALIDATION = 'GET /v3/auth/tokens';
const EVENTS = 'GET /v3/OS-REVOKE/events';
const PERIOD_MS = 15_000;

let keystone: TestKeystone;
beforeEach(async () => {
  keystone = await startTestKeystone();
});
afterEach(() => keystone.close());

const validations = () => keystone.calls(VALIDATION);
const forged = () => `gAAAAA${randomBytes(120).toString('base64url')}`;

async function outcome(token: string, peer = '192.0.2.1'): Promise<string> {
  try {
    return (await keystone.tokens.authenticate(token, peer))?.userName ?? 'unknown';
  } catch (error) {
    if (error instanceof KeystoneUnavailableError) return error.reason;
    if (isApiError(error, 'TooManyRequests')) return '429';
    throw error;
  }
}

/** Makes Keystone unavailable; its calls are still counted. */
function fail(status: number, path = '/v3/auth/tokens'): () => void {
  const id = keystone.simulator.faults.add({
    service: 'identity',
    method: 'GET',
    path,
    times: null,
    action: { kind: 'answer', status },
  });
  return () => void keystone.simulator.faults.remove(id);
}

describe('a token', () => {
  it('identifies its holder, with project and roles', async () => {
    const user = await keystone.tokens.authenticate(await keystone.tokenOf('simulator'));

    expect(user).toMatchObject({
      userName: 'demo',
      userDomain: { id: 'default', name: 'Default' },
      project: { name: 'demo', domain: { id: 'default', name: 'Default' } },
      roles: ['member', 'reader'],
      groupIds: [],
      isSystemScoped: false,
      isAdminProject: false,
      methods: ['password'],
      applicationCredentialId: undefined,
      trustId: undefined,
    });
    expect(user?.userId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is identified as a token of an application credential', async () => {
    const demo = keystone.as('simulator');
    const { id, secret } = await demo.identity.createApplicationCredential({ name: 'ci' });
    const login = { kind: 'applicationCredential', id, secret } as const;
    const user = await keystone.tokens.authenticate(await keystone.tokenOf('simulator', login));

    expect(user).toMatchObject({ userName: 'demo', applicationCredentialId: id });
  });

  it('is identified as a token of its trust, with the impersonated trustor as its holder', async () => {
    const demo = keystone.as('simulator');
    const trustee = await keystone.as('simulator-other').identity.me();
    const { id } = await demo.identity.createTrust({
      trustee_user_id: trustee.id,
      project_id: await demo.session.projectId(),
      impersonation: true,
      roles: [{ name: 'reader' }],
    });
    const login = keystone.loginOf('simulator-other');
    const token = await keystone.tokenOf('simulator', { ...login, scope: { kind: 'trust', trustId: id } });

    expect(await keystone.tokens.authenticate(token)).toMatchObject({
      userName: 'demo',
      trustId: id,
      roles: ['reader'],
    });
  });

  it('is validated once for many concurrent requests, and for a thousand within five minutes', async () => {
    const token = await keystone.tokenOf('simulator');

    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(token)));
    for (let index = 0; index < 950; index++) outcomes.push(await outcome(token));

    expect(new Set(outcomes)).toEqual(new Set(['demo']));
    expect(validations()).toBe(1);
  });

  it('is cached for five minutes, while Keystone reports revocations', async () => {
    const token = await keystone.tokenOf('simulator');
    await outcome(token);

    await keystone.clock.advance(TOKEN_CACHE_TTL_MS - 1);
    await outcome(token);
    expect(validations()).toBe(1);
    expect(keystone.calls(EVENTS)).toBe(Math.floor((TOKEN_CACHE_TTL_MS - 1) / PERIOD_MS));

    await keystone.clock.advance(1);
    await outcome(token);
    expect(validations()).toBe(2);
  });

  it('is validated every minute if Keystone reports no events', async () => {
    fail(404, 'OS-REVOKE');
    const token = await keystone.tokenOf('simulator');
    await outcome(token);
    await keystone.clock.advance(PERIOD_MS);

    await keystone.clock.advance(TOKEN_CACHE_TTL_WITHOUT_EVENTS_MS - PERIOD_MS - 1);
    await outcome(token);
    expect(validations()).toBe(1);

    await keystone.clock.advance(1);
    await outcome(token);
    expect(validations()).toBe(2);
    expect(keystone.calls(EVENTS)).toBe(1);
  });

  it('is not cached beyond its expiry', async () => {
    const token = await keystone.tokenOf('simulator');
    await keystone.clock.advance(59 * 60_000);
    expect(await outcome(token)).toBe('demo');

    await keystone.clock.advance(60_000);

    expect(await outcome(token)).toBe('unknown');
  });

  it('causes no calls while it is unused', async () => {
    await outcome(await keystone.tokenOf('simulator'));
    await keystone.clock.advance(TOKEN_CACHE_TTL_MS + PERIOD_MS);
    const previous = keystone.calls(EVENTS);

    await keystone.clock.advance(3_600_000);

    expect(keystone.calls(EVENTS)).toBe(previous);
  });
});

describe('a revocation', () => {
  it('is detected for the token within one interval, and does not affect other tokens', async () => {
    const [token, other] = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator-other')];
    await outcome(token);
    await outcome(other);
    await keystone.revoke('simulator', token);
    expect(await outcome(token)).toBe('demo');

    await keystone.clock.advance(PERIOD_MS);

    expect(await outcome(token)).toBe('unknown');
    expect(await outcome(other)).toBe('other');
    expect(validations()).toBe(3);
  });

  it('invalidates all of a user’s tokens', async () => {
    const tokens = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator')];
    const user = await keystone.tokens.authenticate(tokens[0] ?? '');
    await outcome(tokens[1] ?? '');
    await keystone.clock.advance(1_000);
    await keystone.send('PATCH', `/users/${user?.userId}`, { user: { enabled: false } });

    await keystone.clock.advance(PERIOD_MS);

    expect(await Promise.all(tokens.map((token) => outcome(token)))).toEqual(['unknown', 'unknown']);
  });
});

describe('an unavailable Keystone', () => {
  it('does not sign out known users while they are cached, but prevents new sign-ins', async () => {
    const [known, late] = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator-other')];
    await outcome(known);
    fail(503, '/v3/');

    await keystone.clock.advance(TOKEN_CACHE_TTL_MS - 1);
    expect(await settled(outcome(known))).toBe('demo');
    expect(await settled(outcome(late))).toBe('unreachable');

    await keystone.clock.advance(1);
    expect(await settled(outcome(known))).toBe('unreachable');
  });

  it('gets a few calls a minute for any number of requests', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => keystone.tokenOf('simulator')));
    fail(503);
    await settled(outcome(tokens[0] ?? ''));
    const previous = validations();

    for (let second = 0; second < 300; second++) {
      await keystone.clock.advance(1_000);
      for (const token of tokens) await settled(outcome(token));
    }

    expect(validations() - previous).toBeLessThan(5 * 6);
  });

  it('is called again soon after it recovers', async () => {
    const token = await keystone.tokenOf('simulator');
    const end = fail(503);
    await settled(outcome(token));
    end();
    expect(await outcome(token)).toBe('unreachable');

    await keystone.clock.advance(2_000);

    expect(await outcome(token)).toBe('demo');
  });

  it.each([
    { status: 403, reason: 'notPermitted' },
    { status: 401, reason: 'credentialRefused' },
  ])('is distinguished from one that rejects Fairway with $status', async ({ status, reason }) => {
    const token = await keystone.tokenOf('simulator');
    fail(status);

    expect(await settled(outcome(token))).toBe(reason);
  });

  it.each([403, 400])('is not assumed after a response of %i to one token', async (status) => {
    const [refused, other] = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator-other')];
    const end = fail(status);
    await settled(outcome(refused));
    end();
    const previous = validations();

    for (let index = 0; index < 100; index++) expect(await outcome(refused)).not.toBe('demo');
    expect(validations()).toBe(previous);
    expect(await outcome(other)).toBe('other');
    await keystone.clock.advance(UNKNOWN_TTL_MS);
    expect(await outcome(refused)).toBe('demo');
  });

  it.each([403, 400])('is not assumed after responses of %i to many tokens, from any clients', async (status) => {
    const refused = await Promise.all(Array.from({ length: 10 }, () => keystone.tokenOf('simulator')));
    const [known, late] = [await keystone.tokenOf('simulator'), await keystone.tokenOf('simulator-other')];
    await outcome(known);
    await keystone.clock.advance(TOKEN_CACHE_TTL_MS);
    const end = fail(status);
    for (const token of refused) expect(await settled(outcome(token))).not.toBe('demo');
    end();

    expect(await outcome(late, '198.51.100.1')).toBe('other');
    expect(await outcome(known, '198.51.100.1')).toBe('demo');
  });

  it('is assumed after a response of 500 to all tokens', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => keystone.tokenOf('simulator')));
    fail(500);
    for (const token of tokens) expect(await settled(outcome(token))).toBe('unreachable');

    expect(validations()).toBeLessThan(10);
  });

  it.each(['new', 'known'])(
    'gets no more calls than the limit for guesses if it rejects all %s tokens',
    async (what) => {
      const maxCalls = LIMITS.perNetwork.burst;
      const tokens = await Promise.all(Array.from({ length: maxCalls * 2 }, () => keystone.tokenOf('simulator')));
      if (what === 'known') for (const token of tokens) await outcome(token);
      await keystone.clock.advance(TOKEN_CACHE_TTL_MS);
      fail(403);
      const previous = validations();
      for (const token of tokens) expect(['notPermitted', '429']).toContain(await settled(outcome(token)));

      expect(validations() - previous).toBeLessThan(maxCalls * 1.5);
    },
  );

  it('is reported without the token', async () => {
    const token = await keystone.tokenOf('simulator');
    keystone.simulator.faults.add({
      service: 'identity',
      method: 'GET',
      times: null,
      action: { kind: 'answer', status: 403, message: `You may not see ${token}` },
    });

    const failure = keystone.tokens.authenticate(token).catch((error: Error) => error);

    expect(await failure).toMatchObject({ message: expect.not.stringContaining(token) });
  });
});

describe('unknown clients', () => {
  it("cause no calls to Keystone with values that can't be its tokens", async () => {
    const jwt = `${randomBytes(20).toString('base64url')}.${btoa('{"iss":"kubernetes/serviceaccount"}')}.x`;

    for (const token of [jwt, 'abcdef.0123456789abcdef', 'x'.repeat(100_000), '']) {
      expect(await outcome(token)).toBe('unknown');
    }

    expect(keystone.simulator.calls.total).toBe(0);
  });

  it('cause one call in ten seconds with an unknown token', async () => {
    const token = forged();
    for (let index = 0; index < 100; index++) expect(await outcome(token)).toBe('unknown');
    expect(validations()).toBe(1);

    await keystone.clock.advance(UNKNOWN_TTL_MS);
    await outcome(token);

    expect(validations()).toBe(2);
  });

  it('are rate-limited by network, without affecting known users or other networks', async () => {
    const known = await keystone.tokenOf('simulator');
    await outcome(known, '192.0.2.66');
    const outcomes = [];
    for (let index = 0; index < 1_000; index++) outcomes.push(await outcome(forged(), '192.0.2.66'));

    expect(outcomes.filter((each) => each === 'unknown')).toHaveLength(LIMITS.perNetwork.burst);
    expect(outcomes.filter((each) => each === '429')).toHaveLength(1_000 - LIMITS.perNetwork.burst);
    expect(await outcome(known, '192.0.2.66')).toBe('demo');
    expect(await outcome(await keystone.tokenOf('simulator-other'), '192.0.2.7')).toBe('other');
  });

  it('do not evict known users from the cache', async () => {
    const known = await keystone.tokenOf('simulator');
    await outcome(known);
    for (let index = 0; index < 250; index++) await outcome(forged(), `192.0.2.${index}`);
    const previous = validations();

    expect(await outcome(known)).toBe('demo');
    expect(validations()).toBe(previous);
  });
});

/** Retries of the client use the fake clock. */
async function settled<T>(call: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  call.then(settle, settle);
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return call;
    await keystone.clock.advance(100);
  }
}

describe('a request opened with a token', () => {
  async function open(token?: string) {
    const shown = token ?? (await keystone.tokenOf('simulator'));
    await keystone.tokens.authenticate(shown);
    let ends = 0;
    const stop = keystone.tokens.follow(shown, () => ends++);
    return { token: shown, stop, ends: () => ends };
  }

  it("ends within 15 seconds of the token's revocation without additional calls, while other requests continue", async () => {
    const [revoked, other] = [await open(), await open()];
    const previous = validations();
    await keystone.revoke('simulator', revoked.token);

    await keystone.clock.advance(PERIOD_MS);
    await expect.poll(revoked.ends).toBe(1);

    expect(other.ends()).toBe(0);
    expect(validations()).toBe(previous);
    expect(keystone.calls(EVENTS)).toBe(1);
  });

  it('is followed for hours, even if the token is not used again, until it expires', async () => {
    const watch = await open();
    const lifeMs = DEFAULT_CONFIG.tokenLifetimeMs;

    await keystone.clock.advance(lifeMs - 60_000);
    expect(watch.ends()).toBe(0);
    await keystone.clock.advance(60_000);

    expect(watch.ends()).toBe(1);
    expect(validations()).toBe(1);
  });

  it('ends when Keystone no longer recognises the token, and when the user signs out', async () => {
    const [revokedSession, left] = [await open(), await open()];
    keystone.tokens.forget(left.token);
    await keystone.revoke('simulator', revokedSession.token);
    await keystone.clock.advance(TOKEN_CACHE_TTL_MS + UNKNOWN_TTL_MS);

    expect(await outcome(revokedSession.token)).toBe('unknown');
    expect([revokedSession.ends(), left.ends()]).toEqual([1, 1]);
  });

  it("is not followed after it has been closed, or if its token is not Keystone's", async () => {
    const watch = await open();
    watch.stop?.();
    await keystone.revoke('simulator', watch.token);
    await keystone.clock.advance(PERIOD_MS * 2);

    expect(watch.ends()).toBe(0);
    expect(keystone.tokens.follow('a-service-account', () => {})).toBeUndefined();
  });

  it('ends immediately if its token is revoked before it can be followed', async () => {
    let ends = 0;

    keystone.tokens.follow(forged(), () => ends++);

    expect(ends).toBe(1);
  });
});
