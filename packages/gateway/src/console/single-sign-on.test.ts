import { FakeClock } from '@fairway/base/clock-fake';
import { beforeEach, describe, expect, it } from 'vitest';
import { sealed } from './sealed.ts';
import { newSessionKeys, sessionKeys } from './session-keys.ts';
import { SingleSignOn } from './single-sign-on.ts';

const KEYSTONE = 'https://keystone.example.com';
const WAYS = [
  { name: 'Company', url: `${KEYSTONE}:5000/v3/auth/OS-FEDERATION/websso/openid` },
  { name: 'Partner', url: 'https://keystone.partner.example/v3/auth/OS-FEDERATION/websso/saml2' },
];
const ORIGIN = `${KEYSTONE}:5000`;

let clock: FakeClock;
let signOn: SingleSignOn;
let keys: ReturnType<typeof sessionKeys>;
beforeEach(() => {
  clock = new FakeClock();
  keys = sessionKeys(newSessionKeys(clock.now()), clock.now());
  signOn = new SingleSignOn({ ways: WAYS, keys: { get: () => Promise.resolve(keys) }, clock });
});

/** The form as Keystone's page sends it, and as another site could send it. */
function form(body: string, origin: string | undefined = ORIGIN) {
  return signOn.receiveToken({
    method: 'POST',
    path: '/console/sso',
    query: new URLSearchParams(),
    headers: { ...(origin !== undefined && { origin }), 'sec-fetch-site': 'cross-site' },
    readContent: () => Promise.resolve({ headers: {}, body }),
    readBytes: () => Promise.resolve(Buffer.from(body)),
  });
}

const cookiePairOf = (cookie: string | undefined) => cookie?.split(';')[0] ?? '';

it('returns Keystone’s URL with the trusted address, and records the start of the sign-in', async () => {
  const { url, cookie } = await signOn.begin('Company', 'fairway.example.com:6443');

  expect(url).toBe(`${WAYS[0]?.url}?origin=${encodeURIComponent('https://fairway.example.com:6443/console/sso')}`);
  expect(cookie).toMatch(/^__Host-fairway-sso-begun=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=600$/);
  await expect(signOn.begin('Nobody', 'fairway.example.com')).rejects.toMatchObject({ code: 404 });
});

it('passes the token from Keystone’s page to the browser that started the sign-in', async () => {
  const { cookie } = await signOn.begin('Company', 'fairway.example.com');
  const { status, headers } = await form('token=gAAAAAB-1&other=x');
  const cookies = `a=b; ${cookiePairOf(cookie)}; ${cookiePairOf(headers?.['set-cookie'])}`;

  expect({ status, location: headers?.['location'] }).toEqual({ status: 303, location: '/console/sso' });
  // The token is not in a URL, and scripts cannot read the cookie.
  expect(headers?.['set-cookie']).toMatch(/; Secure; HttpOnly; SameSite=Strict; Max-Age=60$/);
  expect(headers?.['set-cookie']).not.toContain('gAAAAAB');
  expect(await signOn.tokenOf(cookies)).toBe('gAAAAAB-1');
});

describe('a form', () => {
  it.each([
    ['from another site', 'https://evil.example'],
    ['from Keystone’s host at another port', KEYSTONE],
    ['without encryption', 'http://keystone.example.com:5000'],
    ['from a page that hides its origin', 'null'],
    ['without an origin', ''],
  ])('is refused: %s', async (_reason, origin) => {
    const { status, headers } = await form('token=x', origin);

    expect({ status, cookie: headers?.['set-cookie'] }).toEqual({ status: 403, cookie: undefined });
  });

  it.each([
    ['without a token', 'a=b'],
    ['with a token that does not fit into a cookie', `token=${'x'.repeat(4_000)}`],
  ])('is refused: %s', async (_reason, body) => {
    const { status, headers } = await form(body);

    expect({ status, cookie: headers?.['set-cookie'] }).toEqual({ status: 400, cookie: undefined });
  });
});

describe('ignores a token', () => {
  const receivedCookie = async () => cookiePairOf((await form('token=x')).headers?.['set-cookie']);

  it('if no sign-in was started', async () => {
    await expect(signOn.tokenOf(await receivedCookie())).rejects.toMatchObject({ code: 403 });
  });

  it('if the sign-in was started at a different Keystone', async () => {
    const { cookie } = await signOn.begin('Partner', 'fairway.example.com');

    await expect(signOn.tokenOf(`${cookiePairOf(cookie)}; ${await receivedCookie()}`)).rejects.toMatchObject({
      code: 403,
    });
  });

  it('ten minutes after the start of the sign-in', async () => {
    const { cookie } = await signOn.begin('Company', 'fairway.example.com');
    await clock.advance(10 * 60_000);

    await expect(signOn.tokenOf(`${cookiePairOf(cookie)}; ${await receivedCookie()}`)).rejects.toMatchObject({
      code: 403,
    });
  });

  it('a minute after Keystone sent it', async () => {
    const cookies = `${cookiePairOf((await signOn.begin('Company', 'fairway.example.com')).cookie)}; ${await receivedCookie()}`;
    await clock.advance(60_000);

    await expect(signOn.tokenOf(cookies)).rejects.toMatchObject({ code: 401 });
  });

  it('if a session replaced it', async () => {
    const session = { kind: 'keystone', token: 'x', user: 'mallory', from: ORIGIN, endsAtMs: clock.now() + 60_000 };
    const { cookie } = await signOn.begin('Company', 'fairway.example.com');
    const cookies = `${cookiePairOf(cookie)}; __Host-fairway-sso-token=${await sealed(session, keys)}`;

    await expect(signOn.tokenOf(cookies)).rejects.toMatchObject({ code: 401 });
  });
});
