import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { AuditPolicy } from '@fairway/apiserver/audit/policy-rules';
import { afterEach, describe, expect, test } from 'vitest';
import { type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const ALICE = { username: 'alice', groups: ['devs'] };

let frontEnd: ScriptedFrontEnd;
afterEach(() => frontEnd[Symbol.asyncDispose]());

async function startFrontEnd(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  policy?: AuditPolicy,
): Promise<void> {
  frontEnd = await startScriptedFrontEnd(listener, ALICE, policy && { policy });
}

const EVERYTHING_POLICY: AuditPolicy = () => ({
  level: 'RequestResponse',
  omitStages: new Set(),
  omitManagedFields: true,
});

/** Sends a request and waits for its end; returns the audit events so far. */
async function eventsOf(...request: Parameters<ScriptedFrontEnd['send']>) {
  const receivedResponse = await frontEnd.send(...request);
  await text(receivedResponse);
  await frontEnd.requestsFinished();
  return { events: frontEnd.audit.events, headers: receivedResponse.headers };
}

/** An API server that creates the posted object. */
function createdResponse(body: object, headers: Record<string, string> = {}) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    await text(request);
    response.writeHead(201, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

test('logs a forwarded create with the name that the API server generated', async () => {
  await startFrontEnd(
    createdResponse({ kind: 'Cluster', metadata: { annotations: { a: 'x'.repeat(200_000) }, name: 'demo-x7k2p' } }),
  );
  const { events } = await eventsOf(CLUSTERS, { method: 'POST', headers: { 'user-agent': 'kubectl' } }, '{}');

  expect(events).toEqual([
    {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      stage: 'ResponseComplete',
      requestURI: CLUSTERS,
      verb: 'create',
      user: { username: 'alice', groups: ['devs', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kubectl',
      objectRef: {
        resource: 'clusters',
        namespace: 'red',
        name: 'demo-x7k2p',
        apiGroup: 'fairway.dev',
        apiVersion: 'v1alpha1',
      },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: expect.stringMatching(/^\d{4}-.*\d{6}Z$/),
      stageTimestamp: expect.stringMatching(/^\d{4}-.*\d{6}Z$/),
    },
  ]);
});

test('logs the audit ID that the API server and the client see', async () => {
  let receivedHeader: string | string[] | undefined;
  await startFrontEnd((request, response) => {
    receivedHeader = request.headers['audit-id'];
    response.writeHead(200, { 'audit-id': String(receivedHeader) }).end('{}');
  });
  const { events, headers } = await eventsOf(`${CLUSTERS}/a`, { method: 'DELETE' });

  expect(events.map(({ auditID }) => auditID)).toEqual([receivedHeader]);
  expect(headers['audit-id']).toBe(receivedHeader);
});

test.each([['x'.repeat(65)], ['{"kind":"Event"}']])('replaces an invalid audit ID: %s', async (id) => {
  await startFrontEnd((request, response) => response.end(String(request.headers['audit-id'])));
  const { events } = await eventsOf(`${CLUSTERS}/a`, { method: 'DELETE', headers: { 'audit-id': id } });

  expect(events[0]?.auditID).toMatch(/^[0-9a-f-]{36}$/);
});

test('requests the response in a format that the gateway can parse', async () => {
  const body = { metadata: { name: 'demo' } };
  await startFrontEnd(async (request, response) => {
    await text(request);
    const isPlain = request.headers['accept-encoding'] === undefined;
    if (isPlain) response.writeHead(201).end(JSON.stringify(body));
    else response.writeHead(201, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(body)));
  });
  const { events } = await eventsOf(CLUSTERS, { method: 'POST', headers: { 'accept-encoding': 'gzip' } }, '{}');

  expect(events[0]?.objectRef?.name).toBe('demo');
});

describe('a refusal by the API server', () => {
  const refused = (status: object, code: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
  };

  test('is logged with its message, without causes', async () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'x', field: 'spec.plan' }];
    const details = { name: 'demo', group: 'fairway.dev', kind: 'clusters', causes };
    await startFrontEnd(
      refused({ kind: 'Status', message: 'no such plan', reason: 'Invalid', details, code: 422 }, 422),
    );
    const { events } = await eventsOf(`${CLUSTERS}/demo`, { method: 'PATCH' }, '{}');

    expect(events[0]?.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'no such plan',
      reason: 'Invalid',
      details: { name: 'demo', group: 'fairway.dev', kind: 'clusters' },
      code: 422,
    });
  });

  test.each<[string, object]>([
    ['not a Status', ['x']],
    ['too long to keep', { message: 'x'.repeat(100_000) }],
    ['a Status with fields of other types', { message: 7, details: 'x' }],
  ])('is logged only with its code if the response is %s', async (_, status) => {
    await startFrontEnd(refused(status, 409));
    const { events } = await eventsOf(`${CLUSTERS}/demo`, { method: 'DELETE' });

    expect(events[0]?.responseStatus).toEqual({ metadata: {}, code: 409 });
  });
});

test('logs an impersonated request with both users, even a read', async () => {
  await startFrontEnd((_, response) => response.end('{}'));
  const { events } = await eventsOf(CLUSTERS, { headers: { 'impersonate-user': 'bob', 'impersonate-group': ['x'] } });

  expect(events).toMatchObject([
    {
      verb: 'list',
      user: { username: 'alice' },
      impersonatedUser: { username: 'bob', groups: ['x', 'system:authenticated'] },
    },
  ]);
  // The allowed verb was impersonate; the API server decides whether bob may list objects.
  expect(events[0]?.annotations).toBeUndefined();
});

test('logs a request that is not forwarded, with the reason', async () => {
  await startFrontEnd((_, response) => response.end());
  const { events } = await eventsOf('/api/v1/namespaces/kube-system/secrets/a');

  expect(events).toMatchObject([
    {
      verb: 'get',
      objectRef: { resource: 'secrets', namespace: 'kube-system', name: 'a' },
      responseStatus: { reason: 'Forbidden', code: 403 },
      annotations: {
        'authorization.k8s.io/decision': 'forbid',
        'authorization.k8s.io/reason': 'secrets of namespace kube-system are not served to tenants',
      },
    },
  ]);
});

test('logs an ambiguous request', async () => {
  await startFrontEnd((_, response) => response.end());
  const { events } = await eventsOf(`${CLUSTERS}/..%2fsecrets`, { headers: { 'user-agent': 'mallory' } });

  expect(events).toMatchObject([
    { user: {}, userAgent: 'mallory', responseStatus: { reason: 'BadRequest', code: 400 } },
  ]);
});

test('does not log reads, discovery, health and reviews', async () => {
  await startFrontEnd((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  for (const path of [CLUSTERS, `${CLUSTERS}/a`, '/livez', '/version', '/apis/fairway.dev/v1alpha1'])
    await eventsOf(path);
  const { events } = await eventsOf('/admission/secret', { method: 'POST' }, '{}');

  expect(events).toEqual([]);
});

test('logs a watch of Secrets at its start and its end', async () => {
  await startFrontEnd((_, response) => response.writeHead(200).end('{"type":"ADDED"}\n'));
  const { events } = await eventsOf('/api/v1/namespaces/red/secrets?watch=1');

  expect(events).toMatchObject([{ verb: 'watch', stage: 'ResponseStarted', responseStatus: { code: 200 } }]);
});

test('logs a client that disconnects before the response, because it may have changed something', async () => {
  const arrived = Promise.withResolvers<void>();
  await startFrontEnd(() => arrived.resolve());
  const pendingRequest = frontEnd.send(`${CLUSTERS}/a`, { method: 'DELETE' });
  pendingRequest.catch(() => undefined);
  await arrived.promise;
  for (const socket of frontEnd.server.connections.open) socket.destroy();
  await frontEnd.requestsFinished();

  expect(frontEnd.audit.events).toMatchObject([
    { verb: 'delete', responseStatus: { status: 'Failure', message: 'the client was gone before the answer' } },
  ]);
});

describe('a policy with level RequestResponse', () => {
  const cluster = {
    kind: 'Cluster',
    metadata: { name: 'a', managedFields: [{ manager: 'x' }] },
    spec: { plan: 'gold' },
  };
  const { managedFields: _, ...metadata } = cluster.metadata;

  test('quotes a forwarded request and its response, which is not compressed', async () => {
    let encoding: string | undefined;
    await startFrontEnd(async (request, response) => {
      encoding = request.headers['accept-encoding'];
      await createdResponse(cluster)(request, response);
    }, EVERYTHING_POLICY);
    const requestBody = JSON.stringify({ ...cluster, spec: {} });
    const { events } = await eventsOf(
      CLUSTERS,
      { method: 'POST', headers: { 'accept-encoding': 'gzip' } },
      requestBody,
    );

    expect(encoding).toBeUndefined();
    expect(events).toMatchObject([{ level: 'RequestResponse', objectRef: { name: 'a' } }]);
    expect(events[0]?.requestObject).toEqual({ ...cluster, spec: {}, metadata });
    expect(events[0]?.responseObject).toEqual({ ...cluster, metadata });
  });

  test('streams a response that is too large without quoting it', async () => {
    const large = { ...cluster, spec: { text: 'x'.repeat(300_000) } };
    await startFrontEnd(createdResponse(large), EVERYTHING_POLICY);
    const { events } = await eventsOf(CLUSTERS, { method: 'POST' }, '{}');

    expect(events).toMatchObject([
      {
        objectRef: { name: 'a' },
        requestObject: {},
        annotations: { 'audit.k8s.io/truncated': 'true', 'audit.fairway.dev/omitted': 'responseObject: too large' },
      },
    ]);
  });

  test.each(['/api/v1/namespaces/red/secrets', `${CLUSTERS}/a/kubeconfig`])('omits the body of %s', async (path) => {
    await startFrontEnd(
      createdResponse({ kind: 'Secret', metadata: { name: 's' }, data: { a: 'aHVudGVy' } }),
      EVERYTHING_POLICY,
    );
    const { events } = await eventsOf(path, { method: 'POST' }, '{"data":{"a":"aHVudGVy"}}');

    expect(events).toMatchObject([{ level: 'Metadata' }]);
    expect(frontEnd.audit.lines.join()).not.toContain('aHVudGVy');
  });
});
