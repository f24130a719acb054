import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { KeystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';
import { beforeEach, describe, expect, it } from 'vitest';
import { OWN_PAGE } from '../testing/test-browser.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { newSessionKeys, sessionKeys } from './session-keys.ts';
import { SessionRoutes } from './session-routes.ts';
import { SINGLE_SIGN_ON_PATH, SingleSignOn } from './single-sign-on.ts';

const clock = new FakeClock();
const keys = sessionKeys(newSessionKeys(clock.now()), clock.now());
const sessions = new ConsoleSessions({ get: () => Promise.resolve(keys) }, clock);
const KEYSTONE = 'https://keystone.example.com:5000';
const ways = [{ name: 'Company', url: `${KEYSTONE}/v3/auth/OS-FEDERATION/websso/openid` }];
const singleSignOn = new SingleSignOn({ ways, keys: { get: () => Promise.resolve(keys) }, clock });
const SIGN_IN_OPTIONS = { keystone: true, singleSignOn: ['Company'] };

/** Routes with a Keystone that has scripted responses; users have a role, and their tokens name them. */
function newRoutes(
  signInService: Partial<KeystoneSignIn>,
  roles: readonly string[] = [],
  documentation?: string,
): SessionRoutes {
  return new SessionRoutes({
    sessions,
    singleSignOn,
    cloud: 'cloud',
    signInService: signInService as KeystoneSignIn,
    documentation,
    authenticate: ({ bearerToken }) =>
      Promise.resolve({
        username: bearerToken,
        groups: [],
        extra: { 'alpha.kubernetes.io/identity/roles': [...roles] },
      }),
    clock,
    log: silentLogger,
  });
}

async function sendAs(routes: SessionRoutes, user: string, method: string, path: string, body = '') {
  const { cookie } = await sessions.cookieOf({ kind: 'keystone', token: user, user }, undefined);
  return routes.respond(request(method, path, { cookie }, body));
}

function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): ApiRequest {
  return {
    method,
    path,
    query: new URLSearchParams(),
    headers: { ...OWN_PAGE, ...headers },
    readContent: () => Promise.resolve({ headers: {}, body }),
    readBytes: () => Promise.resolve(Buffer.from(body)),
  };
}

it('limits a user to four concurrent requests to a slow Keystone, while others proceed', async () => {
  const slow = Promise.withResolvers<[]>();
  let requestCount = 0;
  const routes = newRoutes({
    projects: () => {
      requestCount++;
      return slow.promise;
    },
  });
  const waiting = Array.from({ length: 4 }, () => sendAs(routes, 'alice', 'GET', '/console/session/projects'));
  await expect.poll(() => requestCount).toBe(4);

  await expect(sendAs(routes, 'alice', 'GET', '/console/session/projects')).rejects.toMatchObject({ code: 429 });
  const other = sendAs(routes, 'bob', 'GET', '/console/session/projects');
  await expect.poll(() => requestCount).toBe(5);
  slow.resolve([]);
  for (const { status } of await Promise.all([...waiting, other])) expect(status).toBe(200);
  expect(await sendAs(routes, 'alice', 'GET', '/console/session/projects')).toMatchObject({
    user: { username: 'alice' },
  });
});

it('returns the documentation’s URL, even before signing in, if the operator has set it', async () => {
  const documentation = 'https://docs.example.com/{page}.html';
  const [without, existingSession] = [newRoutes({}), newRoutes({}, [], documentation)];
  const requestCount = request('GET', '/console/session', {});

  expect((await existingSession.respond(requestCount)).body).toBe(
    JSON.stringify({ options: SIGN_IN_OPTIONS, documentation }),
  );
  expect((await without.respond(requestCount)).body).toBe(JSON.stringify({ options: SIGN_IN_OPTIONS }));
});

it('delegates nothing rather than an empty list, which Keystone interprets as all roles', async () => {
  const routes = newRoutes({ delegate: () => Promise.reject(new Error('asked')) }, ['admin']);

  await expect(sendAs(routes, 'root', 'POST', '/console/session/delegation', '{"name":"x"}')).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('you lack the role that clusters need'),
  });
});

describe('a pending single sign-on at Keystone', () => {
  const signInService: Partial<KeystoneSignIn> = {
    projects: () => Promise.resolve([{ id: 'p', name: 'team', domain_id: 'default', enabled: true }] as never),
    revoke: () => Promise.resolve(),
    signIn: () =>
      Promise.resolve({
        id: 'scoped',
        token: { user: { name: 'alice' } },
        expiresAtMs: clock.now() + 3_600_000,
      } as never),
  };
  let routes: SessionRoutes;
  /** A browser's cookies, by name. */
  let cookieJar: Map<string, string>;
  beforeEach(() => {
    routes = newRoutes(signInService);
    cookieJar = new Map();
  });

  const cookie = () => [...cookieJar].map((pair) => pair.join('=')).join('; ');
  const keep = ({ headers, cookies = [] }: ApiResponse) => {
    for (const setCookie of [headers['set-cookie'] ?? '', ...cookies]) {
      const [, name = '', value = '', rest = ''] = /^([^=;]+)=([^;]*)(.*)$/.exec(setCookie) ?? [];
      if (rest.includes('Max-Age=0')) cookieJar.delete(name);
      else if (name !== '') cookieJar.set(name, value);
    }
  };
  const post = async (body: object, path = '/console/session') => {
    const response = await routes.respond(request('POST', path, { cookie: cookie() }, JSON.stringify(body)));
    keep(response);
    return response;
  };
  const begin = () => post({ name: 'Company' }, '/console/session/single-sign-on');
  const sendWithCookies = async (token: string) =>
    keep(await singleSignOn.receiveToken(request('POST', SINGLE_SIGN_ON_PATH, { origin: KEYSTONE }, `token=${token}`)));

  it('ends once the user has signed in: another token from the same Keystone is ignored', async () => {
    await begin();
    await sendWithCookies('alices');
    await post({ kind: 'singleSignOn' });
    const cookieNames = [...cookieJar.keys()];
    await sendWithCookies('mallorys');

    expect(cookieNames).toEqual(['__Host-fairway-session']);
    await expect(post({ kind: 'singleSignOn' })).rejects.toMatchObject({ code: 403 });
  });

  it('ends when the user signs in with a different method', async () => {
    await begin();
    await post({ kind: 'token', token: 'alices' });
    await sendWithCookies('mallorys');

    await expect(post({ kind: 'singleSignOn' })).rejects.toMatchObject({ code: 403 });
  });

  it('survives a failed sign-in', async () => {
    routes = newRoutes({ ...signInService, projects: () => Promise.resolve([]) });
    await begin();
    await sendWithCookies('alices');
    await expect(post({ kind: 'singleSignOn' })).rejects.toMatchObject({ code: 403 });
    routes = newRoutes(signInService);

    expect((await post({ kind: 'singleSignOn' })).status).toBe(200);
  });
});
