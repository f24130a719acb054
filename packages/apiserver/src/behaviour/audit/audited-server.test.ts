import { request as httpsRequest } from 'node:https';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AuditEvent, isDryRun } from '../../audit/audit-event.ts';
import { RecordedAudit } from '../../audit/testing/recorded-audit.ts';
import type { Authorizer } from '../../auth/user.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import { testResources } from '../../server/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

/** Allows everything except objects named forbidden. */
const authorizer: Authorizer = {
  authorize(attributes) {
    const name = 'name' in attributes ? attributes.name : attributes.path;
    const allowed = !name.includes('forbidden');
    return { allowed, reason: allowed ? 'RBAC: allowed by the test' : '' };
  },
};

const secrets = {
  ...testResources.find(({ kind }) => kind === 'ConfigMap'),
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
  shortNames: [],
  schema: {
    type: 'object',
    properties: { data: { type: 'object', additionalProperties: { type: 'string', maxLength: 8 } } },
  },
} satisfies (typeof testResources)[number];

const clock = new FakeClock();
const audit = new RecordedAudit(clock);
const { lines } = audit;
let fixture: HttpsFixture;
beforeAll(async () => {
  const resources = [...testResources, secrets];
  fixture = await startHttpsServer({ resources, authorizer, auditor: audit.auditor, clock });
  await fixture.test.namespace();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => audit.clear());

interface SendResult {
  readonly status: number | undefined;
  readonly auditId: string | undefined;
  readonly events: readonly AuditEvent[];
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | string[]> = {},
): Promise<SendResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SendResult>();
  const { listener, certificateAuthority: ca, token } = fixture;
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const known = { authorization: `Bearer ${token}`, 'content-type': type, 'user-agent': 'kubectl', ...headers };
  const outgoing = httpsRequest(
    { host: '127.0.0.1', port: listener.port, ca, agent: false, method, path, headers: known },
    (response) => {
      const auditId = response.headers['audit-id'] as string | undefined;
      const done = () => {
        resolve({ status: response.statusCode, auditId, events: audit.events });
      };
      if (path.includes('watch=')) {
        response.destroy();
        done();
      } else {
        response.resume().once('end', done);
      }
    },
  );
  outgoing.on('error', reject);
  outgoing.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  return promise;
}

test("records a change as an event in kube-apiserver's format", async () => {
  const headers = { 'audit-id': 'mine-1', 'x-forwarded-for': '192.0.2.1' };
  const sent = await send('POST', `${MAPS}?fieldManager=kubectl-create`, { metadata: { name: 'a' } }, headers);

  expect(sent).toMatchObject({ status: 201, auditId: 'mine-1' });
  expect(sent.events).toEqual([
    {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'mine-1',
      stage: 'ResponseComplete',
      requestURI: `${MAPS}?fieldManager=kubectl-create`,
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['192.0.2.1', '127.0.0.1'],
      userAgent: 'kubectl',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      stageTimestamp: '2026-01-01T00:00:00.000000Z',
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': 'RBAC: allowed by the test',
      },
    },
  ]);
});

describe('the objectRef', () => {
  test.each([
    ['POST', MAPS, { metadata: { generateName: 'gen-' } }, { name: expect.stringMatching(/^gen-\w{5}$/) }],
    ['POST', '/api/v1/namespaces', { metadata: { name: 'red' } }, { resource: 'namespaces', name: 'red' }],
    ['PATCH', `${MAPS}/new?fieldManager=x&dryRun=All`, { data: {} }, { name: 'new' }],
    [
      'DELETE',
      '/apis/example.com/v1/namespaces/default/pools',
      undefined,
      { resource: 'pools', apiGroup: 'example.com', apiVersion: 'v1' },
    ],
    ['PUT', '/apis/example.com/v1/namespaces/default/pools/p/scale', {}, { name: 'p', subresource: 'scale' }],
    [
      'DELETE',
      '/apis/nothing.example/v1/things/x',
      undefined,
      { resource: 'things', name: 'x', apiGroup: 'nothing.example' },
    ],
  ])('names the object of %s %s', async (method, path, body, about) => {
    const { events } = await send(method, path, body);

    expect(events).toHaveLength(1);
    expect(events[0]?.objectRef).toMatchObject(about);
  });
});

describe('a failure', () => {
  test('is recorded with its reason', async () => {
    await send('POST', MAPS, { metadata: { name: 'twice' } });
    audit.clear();
    const { events } = await send('POST', MAPS, { metadata: { name: 'twice' } });

    expect(events[0]?.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'configmaps "twice" already exists',
      reason: 'AlreadyExists',
      details: { name: 'twice', kind: 'configmaps' },
      code: 409,
    });
    expect(events[0]?.objectRef?.name).toBe('twice');
  });

  test('never quotes a Secret, even though the response does', async () => {
    const { status, events } = await send('POST', SECRETS, {
      metadata: { name: 's' },
      data: { pass: 'hunter2-hunter2' },
    });
    const broken = await send('POST', SECRETS, '{"metadata":{"name":"s"},"data":{"pass":"hunter2');

    expect([status, broken.status]).toEqual([422, 400]);
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('hunter2');
    expect(events[0]).toMatchObject({ objectRef: { name: 's' }, responseStatus: { reason: 'Invalid', code: 422 } });
  });

  test('has no user if the caller is unknown', async () => {
    const { status, events } = await send('GET', MAPS, undefined, { authorization: 'Bearer stolen' });

    expect(status).toBe(401);
    expect(events).toMatchObject([
      { verb: 'list', user: {}, responseStatus: { status: 'Failure', reason: 'Unauthorized', code: 401 } },
    ]);
    expect(lines.join('')).not.toContain('stolen');
  });

  test("records the authorizer's decision if the request is forbidden", async () => {
    const { events } = await send('GET', `${MAPS}/forbidden`);

    expect(events).toMatchObject([
      { verb: 'get', user: { username: 'admin' }, responseStatus: { reason: 'Forbidden', code: 403 } },
    ]);
    expect(events[0]?.annotations).toEqual({
      'authorization.k8s.io/decision': 'forbid',
      'authorization.k8s.io/reason': '',
    });
  });
});

test('records both users for an impersonated request', async () => {
  const as = { 'impersonate-user': 'bob', 'impersonate-group': ['devs'] };
  const { events } = await send('GET', `${MAPS}/a`, undefined, as);

  expect(events).toMatchObject([
    {
      verb: 'get',
      user: { username: 'admin' },
      impersonatedUser: { username: 'bob', groups: ['devs', 'system:authenticated'] },
    },
  ]);
});

test('records both users for a forbidden impersonation', async () => {
  const { status, events } = await send('GET', MAPS, undefined, { 'impersonate-user': 'forbidden' });

  expect(status).toBe(403);
  expect(events).toMatchObject([
    { user: { username: 'admin' }, annotations: { 'authorization.k8s.io/decision': 'forbid' } },
  ]);
});

test('audits reads of Secrets, including watches when they start, but no other reads', async () => {
  await send('GET', MAPS);
  await send('GET', `${MAPS}?watch=1`);
  await send('GET', '/version');
  await send('GET', `${SECRETS}?limit=500`);
  const { events } = await send('GET', `${SECRETS}?watch=1`);

  expect(events.map(({ verb, stage }) => `${verb} ${stage}`)).toEqual([
    'list ResponseComplete',
    'watch ResponseStarted',
  ]);
});

test("records this process's own requests without an address", async () => {
  await fixture.test.call('POST', MAPS, { metadata: { name: 'own' } });
  await fixture.test.call('GET', SECRETS);

  expect(audit.events).toMatchObject([{ verb: 'create', user: { username: 'admin' }, objectRef: { name: 'own' } }]);
  expect(lines[0]).not.toContain('sourceIPs');
});

test('logs only part of a flood of refusals, and counts the rest', async () => {
  await clock.advance(3_600_000);
  const transport = fixture.test.server.transport({ username: 'mallory', groups: [] });
  for (let count = 0; count < 700; count++) await transport.request({ method: 'GET', path: `${MAPS}/forbidden` });
  await transport.request({ method: 'POST', path: MAPS, body: '{"metadata":{"name":"done"}}' });

  expect(lines.filter((line) => line.includes('"forbid"'))).toHaveLength(500);
  expect(audit.suppressed).toBe(200);
  expect(lines.filter((line) => line.includes('"name":"done"'))).toHaveLength(1);
});

describe('dry-run deletions are distinguished from real ones', () => {
  beforeEach(async () => {
    await send('POST', MAPS, { metadata: { name: 'dry' } });
    audit.clear();
  });

  test.each<[what: string, query: string, body: unknown, isDry: boolean]>([
    ['in the body, as kubectl requests it', '', { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }, true],
    ['in the query', '?dryRun=All', undefined, true],
    ['in the query, with a body that does not mention it', '?dryRun=All', {}, false],
    ['in the query after a second question mark, which is part of its name', '??dryRun=All', undefined, false],
    ['with options that do not mention it', '', { kind: 'DeleteOptions', apiVersion: 'v1' }, false],
    ['without options', '', undefined, false],
  ])('%s', async (_, query, body, isDry) => {
    // Without this header, Node does not indicate that a DELETE request has a body, or its length.
    const length = { 'content-length': String(body === undefined ? 0 : JSON.stringify(body).length) };
    const { status, events } = await send('DELETE', `${MAPS}/dry${query}`, body, length);

    expect(status).toBe(200);
    expect(events.map(isDryRun)).toEqual([isDry]);
    expect(events[0]?.annotations?.['fairway.dev/dry-run']).toBe(isDry ? 'true' : undefined);
    expect(events[0]).not.toHaveProperty('requestObject');
  });

  test.each(['?dryRun=All', '?dryRun=&dryRun=All'])(
    'a create with two dryRun parameters in its query is a dry run: %s',
    async (query) => {
      const { events } = await send('POST', `${MAPS}${query}`, { metadata: { name: 'never' } });
      const { status } = await send('GET', `${MAPS}/never`);

      expect(events.map(isDryRun)).toEqual([true]);
      expect(status).toBe(404);
    },
  );
});
