import { sendJson } from '@fairway/apiserver/aggregation/testing/extension-server';
import type { ClusterRole, ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Extension } from './extension-services.ts';
import { describeServers } from './targets.ts';

describeServers('requests to aggregated API servers', (server, target) => {
  let aggregated: Extension;
  let thingsPath: string;

  beforeAll(async () => {
    aggregated = await Extension.available(server(), await server().namespace());
    thingsPath = `${aggregated.path}/namespaces/${aggregated.namespace}/things`;
  });
  beforeEach(() => {
    aggregated.extension.received.length = 0;
  });
  afterAll(() => aggregated[Symbol.asyncDispose]());

  /** The only request that the server received. */
  function received() {
    expect(aggregated.extension.received).toHaveLength(1);
    return aggregated.extension.received[0];
  }

  it('name the user, regardless of the client’s own headers', async () => {
    aggregated.extension.respond(thingsPath, (_request, response) => sendJson(response, 200, { kind: 'ThingList' }));
    const headers = {
      'X-Remote-User': 'somebody-else',
      'X-Remote-Group': 'system:masters',
      'X-Remote-Extra-Scopes': 'all',
      Connection: 'keep-alive, X-Hop',
      'X-Hop': 'one',
      'X-End': 'to end',
    };
    const reply = await server().raw('GET', `${thingsPath}?limit=5&labelSelector=a%3Db`, { headers });

    expect(reply.json).toEqual({ kind: 'ThingList' });
    const request = received();
    expect(request?.headers).toMatchObject({ 'x-remote-user': 'admin', 'x-end': 'to end' });
    expect(request?.headersDistinct['x-remote-group']).toEqual(['system:masters', 'system:authenticated']);
    expect(request?.headers).not.toHaveProperty('x-remote-extra-scopes');
    expect(request?.headers).not.toHaveProperty('x-hop');
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.client).toEqual({ name: 'front-proxy-client', issuer: 'kubernetes-front-proxy' });
    const query = new URLSearchParams(request?.path.split('?')[1]);
    expect(Object.fromEntries(query)).toEqual({ labelSelector: 'a=b', limit: '5' });
  });

  it.runIf(target.minor >= 32)('name the impersonated user', async () => {
    aggregated.extension.respond(thingsPath, (_request, response) => sendJson(response, 200, {}));
    const headers = {
      // UTF-8, as Go clients send it.
      'Impersonate-User': Buffer.from('jürgen').toString('latin1'),
      'Impersonate-Group': 'system:masters',
      'Impersonate-Uid': 'u-1',
      'Impersonate-Extra-example.org%2fscopes': 'some',
    };
    await server().raw('GET', thingsPath, { headers });

    const request = received();
    expect(Buffer.from(String(request?.headers['x-remote-user']), 'latin1').toString()).toBe('jürgen');
    expect(request?.headers).toMatchObject({ 'x-remote-uid': 'u-1', 'x-remote-extra-example.org%2fscopes': 'some' });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('impersonate-'))).toEqual([]);
  });

  it('are forwarded with bodies and responses unchanged', async () => {
    aggregated.extension.respond(`${thingsPath}/one`, (request, response) => {
      response.writeHead(207, { 'content-type': 'text/strange', 'x-answered': 'yes' });
      response.end(`${request.method} ${request.headers['content-type']} ${request.body}`);
    });
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const bodies = { PUT: 'k8s\0\u0001\u0002', PATCH: 'not: json', POST: '', DELETE: '{}' } as const;
    for (const [method, body] of Object.entries(bodies)) {
      const reply = await server().raw(method as keyof typeof bodies, `${thingsPath}/one`, { headers, body });

      expect(reply).toMatchObject({
        status: 207,
        headers: { 'content-type': 'text/strange', 'x-answered': 'yes' },
        text: `${method} ${headers['content-type']} ${body}`,
      });
    }
  });

  it('are forwarded for subresources and non-resource paths', async () => {
    for (const path of [`${thingsPath}/one/status`, `${thingsPath}/one/a/b`, `${aggregated.path}/`]) {
      aggregated.extension.respond(path, (_request, response) => sendJson(response, 200, { path }));

      expect((await server().raw('GET', path)).json).toEqual({ path });
    }
  });

  it('stream watches', async () => {
    const event = (name: string) => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;
    const next = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    aggregated.extension.respond(thingsPath, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(event('first'));
      response.once('close', closed.resolve);
      void next.promise.then(() => response.write(event('second')));
    });
    const admin = await server().as('watcher', ['system:masters']);
    const reply = await admin.request({ method: 'GET', path: `${thingsPath}?watch=true` });
    const lines = reply.lines()[Symbol.asyncIterator]();

    expect((await lines.next()).value).toContain('first');
    next.resolve();
    expect((await lines.next()).value).toContain('second');
    await lines.return?.();
    await closed.promise;
  });

  it('are authorized first', async () => {
    const user = server().name('user');
    const transport = await server().as(user);
    const refusal = await server().refusal('GET', thingsPath, {}, transport);

    expect(refusal).toMatchObject({
      code: 403,
      message: `things.${aggregated.group} is forbidden: User "${user}" cannot list resource "things" in API group "${aggregated.group}" in the namespace "${aggregated.namespace}"`,
    });
    expect(aggregated.extension.received).toEqual([]);

    const role = { metadata: { name: user } };
    await server()
      .client.resource<ClusterRole>(ClusterRoles)
      .create({ ...role, rules: [{ apiGroups: [aggregated.group], resources: ['things'], verbs: ['list'] }] });
    await server()
      .client.resource<ClusterRoleBinding>(ClusterRoleBindings)
      .create({
        ...role,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
    aggregated.extension.respond(thingsPath, (_request, response) => sendJson(response, 200, { kind: 'ThingList' }));
    await expect
      .poll(async () => (await server().raw('GET', thingsPath, {}, transport)).status, { timeout: 300_000 })
      .toBe(200);
    expect(received()?.headers['x-remote-user']).toBe(user);
  });

  // Earlier releases forward redirects.
  it.runIf(target.minor >= 30)('do not follow redirects', async () => {
    aggregated.extension.respond(thingsPath, (_request, response) => {
      response.writeHead(307, { location: 'https://example.org/' });
      response.end();
    });
    const reply = await server().raw('GET', thingsPath);

    expect(reply.status).toBe(502);
    expect(reply.text).toBe('the backend attempted to redirect this request, which is not permitted');
    expect(reply.headers).not.toHaveProperty('location');
  });

  it('end when the connection to the other server ends', async () => {
    aggregated.extension.respond(thingsPath, (_request, response) => response.destroy());
    const reply = await server().raw('GET', thingsPath);

    expect(reply).toMatchObject({ status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(reply.text).toContain('EOF');
  });
});
