import { totp } from '@fairway/simulator/identity/totp';
import { startTestCloud, TEST_PASSWORD, type TestCloud } from '@fairway/simulator/test-cloud';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IssuedToken } from '../../auth/token-source.ts';
import { CloudsYaml } from '../../config/clouds-yaml.ts';
import { Budget, DEFAULT_BUDGET } from '../../http/budget.ts';
import { HttpClient } from '../../http/http-client.ts';
import { UndiciTransport } from '../../http/undici-transport.ts';
import type { Person } from '../../sign-in/person.ts';
import { signInWith } from '../../sign-in/sign-in-flow.ts';

let test: TestCloud;
let transport: UndiciTransport;
beforeEach(async () => {
  test = await startTestCloud();
  transport = new UndiciTransport({ tls: { verify: true }, connections: 4, connectTimeoutMs: 5_000 });
});
afterEach(async () => {
  await transport.close();
  await test.cloud.close();
});

/** A person who answers prompts, with a record of questions and messages. */
interface FakePerson extends Person {
  readonly heard: string[];
  readonly opened: Promise<string>;
}

function person(answers: readonly string[] = [], canRead = true): FakePerson {
  const left = [...answers];
  const heard: string[] = [];
  const opened = Promise.withResolvers<string>();
  const reply = (question: string) => {
    heard.push(question);
    const next = left.shift();
    return next === undefined ? Promise.reject(new Error(`asked too much: ${question}`)) : Promise.resolve(next);
  };
  return {
    heard,
    opened: opened.promise,
    ask: reply,
    askSecret: reply,
    canRead,
    show: (text) => heard.push(text),
    openBrowser: (url) => opened.resolve(url),
  };
}

const DEMO = { username: 'demo', user_domain_name: 'Default', project_name: 'demo', project_domain_name: 'Default' };

function signIn(auth: object, who: Person = person(), entry: object = {}, signal?: AbortSignal): Promise<IssuedToken> {
  const authUrl = `${test.origin}/identity/v3`;
  const text = JSON.stringify({ clouds: { c: { auth: { auth_url: authUrl, ...auth }, ...entry } } });
  const clouds = new CloudsYaml({
    env: {},
    cwd: '/work',
    home: '/home/op',
    readFile: (path) => (path === '/work/clouds.yaml' ? text : undefined),
  });
  const http = new HttpClient({
    cloud: 'c',
    transport,
    clock: test.clock,
    random: () => 0.5,
    budget: new Budget(test.clock, DEFAULT_BUDGET),
  });
  return signInWith(clouds.signIn('c').signIn, {
    http,
    transport,
    authUrl,
    person: who,
    clock: test.clock,
    signal: signal ?? new AbortController().signal,
  });
}

/** The error with which a sign-in fails. */
async function failureOf(signingIn: Promise<unknown>): Promise<Error> {
  try {
    await signingIn;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY';

/** Makes the user demo require a passcode. */
async function requirePasscode(): Promise<void> {
  const { admin, demo } = test;
  await admin.make('/identity/v3/credentials', {
    credential: { type: 'totp', blob: SECRET, user_id: demo.userId },
  });
  const options = { multi_factor_auth_rules: [['password', 'totp']] };
  const { status } = await admin.call('PATCH', `/identity/v3/users/${demo.userId}`, { user: { options } });
  expect(status).toBe(200);
}

const logins = () =>
  test.cloud.calls
    .recentCalls()
    .filter(({ template }) => template === '/v3/auth/tokens')
    .map(({ status }) => status);
const passcode = () => totp(SECRET, test.clock.now());

describe('a password', () => {
  it('is requested if it is not configured, and the token is scoped to the project', async () => {
    const who = person([TEST_PASSWORD]);

    const { token } = await signIn(DEMO, who);

    expect(token.project?.name).toBe('demo');
    expect(who.heard).toEqual(['Password of demo: ']);
  });

  it('yields a token for the trustor’s project with a trust', async () => {
    const trust = await test.demo.make('/identity/v3/OS-TRUST/trusts', {
      trust: {
        trustor_user_id: test.demo.userId,
        trustee_user_id: test.other.userId,
        project_id: test.demo.projectId,
        impersonation: false,
        roles: [{ name: 'member' }],
      },
    });
    const other = { username: 'other', user_domain_name: 'Default', password: TEST_PASSWORD };

    const { token } = await signIn({ ...other, trust_id: trust.id });

    expect(token.project?.name).toBe('demo');
  });

  it('suffices if the user has only one project', async () => {
    const { token } = await signIn({ username: 'other', user_domain_name: 'Default', password: TEST_PASSWORD });

    expect(token.project?.name).toBe('other');
  });

  it('does not suffice if the user has several projects', async () => {
    const url = `/identity/v3/projects/${test.other.projectId}/users/${test.demo.userId}/roles`;
    const { body } = await test.admin.call('GET', '/identity/v3/roles?name=reader');
    const [role] = body['roles'] as unknown as readonly { id: string }[];
    await test.admin.call('PUT', `${url}/${role?.id}`);

    await expect(
      signIn({ username: 'demo', user_domain_name: 'Default', password: TEST_PASSWORD }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/^demo has access to several projects: (demo|other) \([0-9a-f]{32}\), /),
      advice: expect.stringContaining('OS_PROJECT_ID'),
    });
  });
});

describe('a one-time passcode', () => {
  it('is requested when Keystone requires it, and completes the receipt', async () => {
    await requirePasscode();
    const who = person([` ${passcode().slice(0, 3)} ${passcode().slice(3)}`]);

    const { token } = await signIn({ ...DEMO, password: TEST_PASSWORD }, who);

    expect(token).toMatchObject({ project: { name: 'demo' }, methods: expect.arrayContaining(['password', 'totp']) });
    expect(who.heard).toEqual(['One-time passcode of demo: ']);
  });

  it('is sent with the password if the entry requires it', async () => {
    await requirePasscode();
    const entry = { auth_type: 'v3multifactor', auth_methods: ['v3password', 'v3totp'] };
    const before = logins().length;

    const { token } = await signIn({ ...DEMO, password: TEST_PASSWORD, passcode: passcode() }, person(), entry);

    expect(token.methods).toEqual(['password', 'totp']);
    expect(logins().slice(before)).toEqual([201]);
  });

  it.each([
    { reason: 'wrong', code: () => '000000' },
    { reason: 'expired', code: () => totp(SECRET, test.clock.now() - 90_000) },
  ])('is refused if it is $reason', async ({ code }) => {
    await requirePasscode();

    await expect(signIn({ ...DEMO, password: TEST_PASSWORD }, person([code()]))).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
    });
  });

  it('is not requested after a wrong password', async () => {
    await requirePasscode();
    const who = person([passcode()]);

    await expect(signIn({ ...DEMO, password: 'wrong' }, who)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(who.heard).toEqual([]);
  });
});

describe('federation', () => {
  const federated = (client: object = {}) => ({
    identity_provider: 'simulated',
    protocol: 'openid',
    client_id: 'fairway',
    discovery_endpoint: `${test.origin}/idp/.well-known/openid-configuration`,
    project_name: 'demo',
    project_domain_name: 'Default',
    ...client,
  });
  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    body: new URLSearchParams({ username: 'demo', password: TEST_PASSWORD, ...fields }),
    redirect: 'manual' as const,
  });

  it.each([
    { auth_type: 'v3oidcpassword', client: { username: 'demo', password: TEST_PASSWORD } },
    {
      auth_type: 'v3oidcpassword',
      client: { username: 'demo', password: TEST_PASSWORD, access_token_type: 'id_token' },
    },
    { auth_type: 'v3oidcclientcredentials', client: { client_id: 'demo', client_secret: TEST_PASSWORD } },
  ])('yields a token for the project with $auth_type and $client', async ({ auth_type, client }) => {
    const { token } = await signIn(federated(client), person(), { auth_type });

    expect(token).toMatchObject({ project: { name: 'demo' }, methods: expect.arrayContaining(['openid']) });
  });

  it('needs no discovery document if the endpoint is configured', async () => {
    const { discovery_endpoint: _, ...auth } = federated({ username: 'demo', password: TEST_PASSWORD });

    const { token } = await signIn({ ...auth, access_token_endpoint: `${test.origin}/idp/token` }, person(), {
      auth_type: 'v3oidcpassword',
    });

    expect(token.project?.name).toBe('demo');
  });

  it('accepts an access token obtained elsewhere', async () => {
    const body = new URLSearchParams({
      grant_type: 'password',
      client_id: 'fairway',
      scope: 'openid',
      username: 'demo',
    });
    body.set('password', TEST_PASSWORD);
    const reply = await fetch(`${test.origin}/idp/token`, { method: 'POST', body });
    const { access_token } = (await reply.json()) as { access_token: string };

    const { token } = await signIn({ ...federated(), access_token }, person(), { auth_type: 'v3oidcaccesstoken' });

    expect(token.project?.name).toBe('demo');
  });

  describe('with a device code', () => {
    const entry = { auth_type: 'v3oidcdeviceauthz' };

    it('waits for confirmation and polls no more often than allowed', async () => {
      const who = person();
      const signedIn = signIn(federated({ code_challenge_method: 'S256' }), who, entry);
      const page = await who.opened;
      await test.clock.advance(12_000);
      await fetch(page, form({ user_code: new URL(page).searchParams.get('user_code') ?? '' }));
      await test.clock.advance(5_000);

      expect((await signedIn).token.project?.name).toBe('demo');
      expect(who.heard[0]).toMatch(
        /^To sign in, open http:.*\/idp\/device and enter the code [A-Z0-9]{4}-[A-Z0-9]{4}\n$/,
      );
      const polls = test.cloud.calls.recentCalls().filter(({ template }) => template === '/token');
      expect(polls.map(({ status }) => status)).toEqual([400, 400, 200]);
    });

    it('fails when the user declines', async () => {
      const who = person();
      const refused = failureOf(signIn(federated(), who, entry));
      const page = await who.opened;
      await fetch(page, form({ user_code: new URL(page).searchParams.get('user_code') ?? '', deny: 'yes' }));
      await test.clock.advance(5_000);

      expect(await refused).toMatchObject({
        message: expect.stringContaining('access_denied'),
        advice: expect.stringContaining('declined'),
      });
    });

    it('fails when the code expires', async () => {
      const who = person();
      const refused = failureOf(signIn(federated(), who, entry));
      await who.opened;
      await test.clock.advance(11 * 60_000);

      expect((await refused).message).toMatch(/not confirmed in time|expired_token/);
    });

    it('stops immediately when it is interrupted', async () => {
      const who = person();
      const stop = new AbortController();
      const refused = failureOf(signIn(federated(), who, entry, stop.signal));
      await who.opened;
      stop.abort(new Error('stopped'));

      expect((await refused).message).toBe('stopped');
      expect(test.clock.pendingTimers).toBe(0);
    });

    it('does not start without an interactive user', async () => {
      await expect(signIn(federated(), person([], false), entry)).rejects.toMatchObject({
        message: expect.stringContaining('the session is not interactive'),
      });
    });
  });

  describe('in a browser', () => {
    const entry = { auth_type: 'v3oidcauthcode' };
    /** Acts as a browser on a sign-in page, up to the provider's redirect. */
    async function submit(page: string, fields: Record<string, string> = {}): Promise<string> {
      const { searchParams, origin, pathname } = new URL(page);
      const reply = await fetch(`${origin}${pathname}`, form({ ...Object.fromEntries(searchParams), ...fields }));
      return reply.headers.get('location') ?? '';
    }

    it('returns the code to this machine, with PKCE, state and nonce', async () => {
      const who = person();
      const signedIn = signIn(federated(), who, entry);
      const page = await who.opened;
      const reply = await fetch(await submit(page));

      expect(await reply.text()).toContain('You can close this window');
      expect((await signedIn).token.project?.name).toBe('demo');
      const parameters = new URL(page).searchParams;
      expect(parameters.get('code_challenge_method')).toBe('S256');
      expect(parameters.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      await expect(fetch(parameters.get('redirect_uri') ?? '')).rejects.toThrow('fetch failed');
    });

    it('listens only on the loopback address', async () => {
      const who = person();
      const signedIn = signIn(federated(), who, entry);
      const page = await who.opened;
      const callback = new URL(page).searchParams.get('redirect_uri') ?? '';
      const forged = await fetch(`${callback}?code=mine&state=guessed`);
      const elsewhere = await fetch(new URL('/', callback));
      await fetch(await submit(page));

      expect([forged.status, elsewhere.status]).toEqual([400, 404]);
      expect((await signedIn).token.project?.name).toBe('demo');
    });

    it('ignores other calls to the port', async () => {
      const who = person();
      const signedIn = signIn(federated(), who, entry);
      const page = await who.opened;
      const callback = new URL(new URL(page).searchParams.get('redirect_uri') ?? '');
      const stray = await fetch(`${callback.origin}//`);
      await fetch(await submit(page));

      expect(stray.status).toBe(404);
      expect((await signedIn).token.project?.name).toBe('demo');
    });

    it('learns the issuer of a provider that is configured only by endpoints', async () => {
      const who = person();
      const { discovery_endpoint: _, ...auth } = federated();
      const endpoints = {
        access_token_endpoint: `${test.origin}/idp/token`,
        authorization_endpoint: `${test.origin}/idp/authorize`,
      };
      const signedIn = signIn({ ...auth, ...endpoints }, who, entry);
      const reply = new URL(await submit(await who.opened));
      reply.searchParams.set('iss', `${test.origin}/idp`);
      await fetch(reply);

      expect((await signedIn).token.project?.name).toBe('demo');
    });

    it('refuses a response from another provider', async () => {
      const who = person();
      const refused = failureOf(signIn(federated(), who, entry));
      const reply = new URL(await submit(await who.opened));
      reply.searchParams.set('iss', 'https://evil.test');
      await fetch(reply);

      expect((await refused).message).toContain('returned an invalid response');
    });

    it('fails when the user declines, and after five minutes', async () => {
      const who = person();
      const declined = failureOf(signIn(federated(), who, entry));
      await fetch(await submit(await who.opened, { deny: 'yes' }));
      expect((await declined).message).toContain('access_denied');

      const idle = person();
      const late = failureOf(signIn(federated(), idle, entry));
      await idle.opened;
      await test.clock.advance(5 * 60_000);
      expect((await late).message).toContain('no sign-in was completed');
    });
  });

  it.each([
    { reason: 'a wrong password', auth: { password: 'wrong' }, message: 'invalid_grant' },
    { reason: 'an unknown client', auth: { client_id: 'nobody' }, message: 'invalid_client' },
    { reason: 'a missing document', auth: { discovery_endpoint: '/idp/nothing' }, message: 'returned 404' },
    {
      reason: 'the root of Keystone itself',
      auth: { discovery_endpoint: '/identity/v3' },
      message: 'is not the discovery document',
    },
    { reason: 'an unknown identity provider', auth: { identity_provider: 'x' }, message: '404 notFound' },
  ])('fails for $reason with a message that contains no secrets', async ({ auth, message }) => {
    const { discovery_endpoint: path } = auth as { discovery_endpoint?: string };
    const authOptions = path === undefined ? auth : { discovery_endpoint: `${test.origin}${path}` };
    const error = await signIn(federated({ username: 'demo', password: TEST_PASSWORD, ...authOptions }), person(), {
      auth_type: 'v3oidcpassword',
    }).catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(`${(error as Error).message} ${JSON.stringify(error)}`).not.toContain(`"${TEST_PASSWORD}`);
  });
});
