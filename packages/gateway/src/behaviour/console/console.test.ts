import { API_VERSION } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { Secrets } from '@fairway/kube/kinds/resources';
import { totp } from '@fairway/simulator/identity/totp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_KEYS_SECRET } from '../../console/session-keys.ts';
import { type KeystoneGateway, startKeystoneGateway } from '../../testing/keystone-gateway.ts';
import { OWN_PAGE, TestBrowser } from '../../testing/test-browser.ts';
import { FORMS } from '../../testing/test-gateway.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY';

describe.each(FORMS)('the console at the %s gateway', (form) => {
  let gateway: KeystoneGateway;
  let browser: TestBrowser;
  let project: string;
  beforeAll(async () => {
    gateway = await startKeystoneGateway(form);
    project = await gateway.keystone.as('simulator').session.projectId();
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    browser = await TestBrowser.at(gateway.form);
  });
  afterEach(() => browser.close());

  const password = () => gateway.keystone.loginOf('simulator').password;
  const passwordBody = (username = 'demo', more: object = {}) => ({
    kind: 'password',
    username,
    domain: 'Default',
    password: password(),
    ...more,
  });
  const clustersOf = (namespace: string) => `/apis/${API_VERSION}/namespaces/${namespace}/clusters`;

  it("signs in by password, in the user's project", async () => {
    const { status, body } = await browser.signIn(passwordBody());

    expect(status).toBe(200);
    expect(body).toMatchObject({
      options: { keystone: true },
      session: { kind: 'keystone', user: 'demo', project: { id: project, name: 'demo' }, namespace: project },
    });
    expect(JSON.stringify(body)).not.toContain('gAAAA');
    expect((await browser.fetchJson(clustersOf(project))).status).toBe(200);
    expect((await browser.fetchJson('/console/session')).body).toEqual(body);
  });

  it('sets a cookie that scripts can’t read and other sites can’t make browsers send', async () => {
    const rawResponse = await browser.send('/console/session', { method: 'POST', body: passwordBody() });

    expect(rawResponse.headers['set-cookie']).toMatch(
      /^__Host-fairway-session=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect(Number(/Max-Age=(\d+)/.exec(rawResponse.headers['set-cookie'] ?? '')?.[1])).toBeLessThanOrEqual(3_600);
  });

  describe('a cookie', () => {
    beforeEach(async () => {
      await browser.signIn(passwordBody());
    });

    it.each([
      ['a form of another site', { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' }],
      ['a link', { 'sec-fetch-site': 'none', accept: 'text/html' }],
      ["a request without the console's header", { 'sec-fetch-site': 'same-origin' }],
      ['a script of another origin', { ...OWN_PAGE, origin: 'https://evil.example' }],
      ['a script of another host of the domain', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
      ['another user’s Authorization header', { ...OWN_PAGE, authorization: 'Bearer of-nobody' }],
    ])('is ignored with %s', async (_reason, headers) => {
      const read = await browser.send(clustersOf(project), { headers });
      const createResponse = await browser.send(clustersOf(project), { method: 'POST', body: {}, headers });
      await Promise.all([read.text(), createResponse.text()]);

      expect([read.status, createResponse.status]).toEqual([401, 401]);
    });

    it.each([
      ['GET', '/console/session'],
      ['POST', '/console/session'],
      ['DELETE', '/console/session'],
      ['GET', '/console/session/projects'],
      ['PUT', '/console/session/project'],
      ['POST', '/console/session/delegation'],
    ] as const)('is accepted only from pages of the console: %s %s', async (method, path) => {
      const headers = { 'x-fairway-console': '1', 'sec-fetch-site': 'cross-site' };

      expect((await browser.fetchJson(path, { method, headers, ...(method !== 'GET' && { body: {} }) })).status).toBe(
        403,
      );
      expect((await browser.fetchJson(clustersOf(project))).status).toBe(200);
    });

    it('is invalid after any modification', async () => {
      browser.cookie = `${browser.cookie?.slice(0, -4)}AAAA`;

      expect((await browser.fetchJson(clustersOf(project))).status).toBe(401);
    });

    it('is invalid after signing out, even if it was kept', async () => {
      const oldCookie = browser.cookie;
      const out = await browser.fetchJson('/console/session', { method: 'DELETE' });
      const clearedCookie = browser.cookie;
      browser.cookie = oldCookie;

      expect(out.body).toEqual({ options: { keystone: true } });
      expect(clearedCookie).toBeUndefined();
      expect((await browser.fetchJson(clustersOf(project))).status).toBe(401);
      expect((await browser.fetchJson('/console/session')).body).toEqual({ options: { keystone: true } });
    });

    it('reads and writes as its user, and not in other projects', async () => {
      const other = await gateway.keystone.as('simulator-other').session.projectId();

      expect((await browser.fetchJson(`/apis/${API_VERSION}/${plans.plural}`)).status).toBe(200);
      expect((await browser.fetchJson(clustersOf(other))).status).toBe(403);
      expect((await browser.fetchJson('/api/v1/namespaces/fairway-system/secrets')).status).toBe(403);
    });
  });

  it('requests a passcode if Keystone requires one, and completes the sign-in with it', async () => {
    const admin = gateway.keystone;
    const { id } = await admin.as('simulator-reader').identity.me();
    await admin.send('POST', '/credentials', { credential: { type: 'totp', blob: SECRET, user_id: id } });
    const rules = (withPasscode: string[][]) =>
      admin.send('PATCH', `/users/${id}`, { user: { options: { multi_factor_auth_rules: withPasscode } } });
    await rules([['password', 'totp']]);

    const signInResponse = await browser.signIn(passwordBody('reader'));
    const passcode = totp(SECRET, gateway.keystone.clock.now());
    const done = await browser.signIn(passwordBody('reader', { passcode }));
    await rules([]);

    expect(signInResponse).toMatchObject({ status: 401, body: { details: { causes: [{ field: 'passcode' }] } } });
    expect(done).toMatchObject({ status: 200, body: { session: { user: 'reader' } } });
  });

  it('signs in with an application credential, which it does not revoke', async () => {
    const createdCredential = await gateway.keystone
      .as('simulator')
      .identity.createApplicationCredential({ name: `console-${form}`, roles: [{ name: 'member' }] });
    const credentials = { kind: 'applicationCredential', id: createdCredential.id, secret: createdCredential.secret };

    const first = await browser.signIn(credentials);
    await browser.fetchJson('/console/session', { method: 'DELETE' });
    const second = await browser.signIn(credentials);

    expect(first).toMatchObject({ status: 200, body: { session: { user: 'demo', project: { id: project } } } });
    expect(second.status).toBe(200);
  });

  it('signs in with a token that the API accepts, and with no other token', async () => {
    const token = await gateway.keystone.tokenOf('simulator');
    const forgedCookie = await browser.signIn({ kind: 'token', token: `gAAAAA${'x'.repeat(160)}` });
    const known = await browser.signIn({ kind: 'token', token });

    expect(forgedCookie.status).toBe(401);
    expect(known).toMatchObject({ status: 200, body: { session: { kind: 'token', namespace: project } } });
    // The token is the user's own, and stays valid after signing out.
    await browser.fetchJson('/console/session', { method: 'DELETE' });
    expect((await browser.signIn({ kind: 'token', token })).status).toBe(200);
  });

  it('switches only to the user’s other projects', async () => {
    const other = await gateway.keystone.as('simulator-other').session.projectId();
    const { id } = await gateway.keystone.as('simulator').identity.me();
    const roles = (await gateway.keystone.send('GET', '/roles?name=reader')) as { roles: { id: string }[] };
    const role = `/projects/${other}/users/${id}/roles/${roles.roles[0]?.id}`;
    await browser.signIn(passwordBody('demo', { project }));
    const refused = await browser.fetchJson('/console/session/project', { method: 'PUT', body: { id: other } });
    await gateway.keystone.send('PUT', role);

    const listed = await browser.fetchJson('/console/session/projects');
    const former = browser.cookie;
    const switched = await browser.fetchJson('/console/session/project', { method: 'PUT', body: { id: other } });
    const clusters = await browser.fetchJson(clustersOf(other));
    const present = browser.cookie;
    browser.cookie = former;
    const before = await browser.fetchJson(clustersOf(project));
    browser.cookie = present;
    await gateway.keystone.send('DELETE', role);

    expect(refused.status).toBe(401);
    expect(listed.body).toEqual({
      projects: [
        { id: project, name: 'demo' },
        { id: other, name: 'other' },
      ],
    });
    expect(switched).toMatchObject({ status: 200, body: { session: { project: { id: other }, namespace: other } } });
    expect(clusters.status).toBe(200);
    // The session's token has been revoked too.
    expect(before.status).toBe(401);
  });

  it('ends the session that a new one replaces, unless the user provided its token', async () => {
    await browser.signIn(passwordBody('demo', { project }));
    const former = browser.cookie;
    await browser.signIn({ kind: 'token', token: await gateway.keystone.tokenOf('simulator') });
    const currentCookie = browser.cookie;
    await browser.signIn(passwordBody('demo', { project }));
    const statuses = [(await browser.fetchJson(clustersOf(project))).status];
    for (const oldCookie of [former, currentCookie]) {
      browser.cookie = oldCookie;
      statuses.push((await browser.fetchJson(clustersOf(project))).status);
    }

    expect(statuses).toEqual([200, 401, 200]);
  });

  it('delegates the required permissions to Fairway through the user’s application credential', async () => {
    await browser.signIn(passwordBody('demo', { project }));
    const name = `fairway-${form}`;
    const createdCredential = await browser.fetchJson('/console/session/delegation', {
      method: 'POST',
      body: { name },
    });
    const duplicateResponse = await browser.fetchJson('/console/session/delegation', {
      method: 'POST',
      body: { name },
    });
    const { cloud, id, secret } = createdCredential.body as Record<string, string>;
    const credential = { kind: 'applicationCredential', id: id ?? '', secret: secret ?? '' } as const;
    const { token } = await gateway.keystone.as('simulator', credential).session.token();

    expect(cloud).toBe('simulator-service');
    expect(token).toMatchObject({ project: { id: project }, application_credential: { restricted: true } });
    expect(duplicateResponse.status).toBe(409);
  });

  it('rate-limits password guesses, with a Retry-After', async () => {
    const guess = () => browser.signIn({ ...passwordBody('admin'), password: 'wrong' });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) statuses.push((await guess()).status);
    const delayMs = await guess();

    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(delayMs).toMatchObject({ status: 429, body: { details: { retryAfterSeconds: expect.any(Number) } } });
    // Other users do not have to wait, and signed-in users stay signed in.
    expect((await browser.signIn(passwordBody('other'))).status).toBe(200);
  });

  it('never echoes a request body', async () => {
    const wrong = await browser.signIn({ ...passwordBody(), password: { hidden: 'my password' } });

    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).not.toContain('my password');
  });

  it('carries several watches in one response, and reports invalid ones', async () => {
    await browser.signIn(passwordBody('demo', { project }));
    const stop = new AbortController();
    const released = `/apis/${API_VERSION}/${kubernetesReleases.plural}?watch=true`;
    const watches = [
      { id: 1, path: `${clustersOf(project)}?watch=true` },
      { id: 2, path: released },
      { id: 3, path: `/apis/${API_VERSION}/clusters?watch=true` },
    ];
    const rawResponse = await browser.send('/console/watches', {
      method: 'POST',
      body: { watches },
      signal: stop.signal,
    });
    const receivedLines: { w: number; code?: number; event?: { type: string } }[] = [];
    try {
      for await (const line of rawResponse.lines()) {
        if (line.trim() !== '') receivedLines.push(JSON.parse(line) as (typeof receivedLines)[number]);
        const [refused, event] = [receivedLines.find(({ w }) => w === 3), receivedLines.find(({ w }) => w === 2)];
        if (refused && event) break;
      }
    } finally {
      stop.abort();
    }

    expect(rawResponse.status).toBe(200);
    expect(receivedLines.find(({ w }) => w === 3)).toMatchObject({ code: 403, failure: { reason: 'Forbidden' } });
    expect(receivedLines.find(({ w }) => w === 2)?.event?.type).toBe('ADDED');
    expect(receivedLines.filter(({ w }) => w === 1)).toEqual([]);
  });

  it('does not open a watch without a session', async () => {
    const watches = [{ id: 1, path: `${clustersOf(project)}?watch=true` }];

    expect((await browser.fetchJson('/console/watches', { method: 'POST', body: { watches } })).status).toBe(401);
  });

  it('redirects browsers from / to itself, but not other clients', async () => {
    const page = await browser.send('/', { headers: { accept: 'text/html,*/*' } });
    const client = await browser.send('/', { headers: { accept: 'application/json' } });
    await Promise.all([page.text(), client.text()]);

    expect([page.status, page.headers['location']]).toEqual([302, '/console/']);
    expect(client.status).not.toBe(302);
  });

  it('keeps its keys in one Secret shared by all replicas', async () => {
    await browser.signIn(passwordBody());
    const { items } = await gateway.form.client.resource(Secrets).list({ namespace: 'fairway-system' });
    const keys = items.filter(({ metadata }) => metadata.name === SESSION_KEYS_SECRET);

    expect(keys.map(({ type }) => type)).toEqual(['fairway.dev/console-sessions']);
  });

  it('records the user of every request from its pages in the audit log', async () => {
    const { id } = await gateway.keystone.as('simulator').identity.me();
    await browser.signIn(passwordBody());
    await browser.fetchJson(clustersOf(project), { method: 'POST', body: {} });
    await browser.fetchJson('/console/session/delegation', { method: 'POST', body: { name: `audited-${form}` } });
    await browser.fetchJson('/console/session', { method: 'DELETE' });

    const events = gateway.audit.events.filter(({ user }) => user?.username === `keystone:${id}`);
    expect(events.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual(
      expect.arrayContaining([
        'post /console/session',
        `create ${clustersOf(project)}`,
        'post /console/session/delegation',
        'delete /console/session',
      ]),
    );
  });
});
