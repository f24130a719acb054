import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { KeystoneDoor } from '@fairway/openstack/sign-in/keystone-door';
import { expect, it } from 'vitest';
import { OWN_PAGE } from '../testing/test-browser.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { newSessionKeys, sessionKeys } from './session-keys.ts';
import { SessionRoutes } from './session-routes.ts';
import { SingleSignOn } from './single-sign-on.ts';

const clock = new FakeClock();
const keys = sessionKeys(newSessionKeys(clock.now()), clock.now());
const sessions = new ConsoleSessions({ get: () => Promise.resolve(keys) }, clock);

/** Routes whose users are named by their tokens and have a role, at a Keystone that answers as it is told. */
function routesAt(door: Partial<KeystoneDoor>, roles: readonly string[] = []): SessionRoutes {
  return new SessionRoutes({
    sessions,
    singleSignOn: new SingleSignOn({ ways: [], keys: { get: () => Promise.resolve(keys) }, clock }),
    cloud: 'cloud',
    door: door as KeystoneDoor,
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

async function ask(routes: SessionRoutes, user: string, method: string, path: string, body = '') {
  const { cookie } = await sessions.cookieOf({ kind: 'keystone', token: user, user }, undefined);
  return routes.answer({
    method,
    path,
    query: new URLSearchParams(),
    headers: { ...OWN_PAGE, cookie },
    readContent: () => Promise.resolve({ headers: {}, body }),
    readBytes: () => Promise.resolve(Buffer.from(body)),
  });
}

it('has a slow Keystone asked for four things at a time by one user, and lets others ask', async () => {
  const slow = Promise.withResolvers<[]>();
  let asked = 0;
  const routes = routesAt({
    projects: () => {
      asked++;
      return slow.promise;
    },
  });
  const waiting = Array.from({ length: 4 }, () => ask(routes, 'alice', 'GET', '/console/session/projects'));
  await expect.poll(() => asked).toBe(4);

  await expect(ask(routes, 'alice', 'GET', '/console/session/projects')).rejects.toMatchObject({ code: 429 });
  const other = ask(routes, 'bob', 'GET', '/console/session/projects');
  await expect.poll(() => asked).toBe(5);
  slow.resolve([]);
  for (const { status } of await Promise.all([...waiting, other])) expect(status).toBe(200);
  expect(await ask(routes, 'alice', 'GET', '/console/session/projects')).toMatchObject({ user: { username: 'alice' } });
});

it('hands on no role rather than all: Keystone takes an empty list for all of them', async () => {
  const routes = routesAt({ delegate: () => Promise.reject(new Error('asked')) }, ['admin']);

  await expect(ask(routes, 'root', 'POST', '/console/session/delegation', '{"name":"x"}')).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('no role in this project'),
  });
});
