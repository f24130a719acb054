import { forbidden } from '@fairway/kube/object/api-error';
import { describe, expect, it } from 'vitest';
import type { Authorizer, RequestAttributes } from '../auth/user.ts';
import type { AdmissionPlugin } from './admission.ts';
import { TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pools = '/apis/example.com/v1/namespaces/default/pools';
const pods = '/api/v1/namespaces/default/pods';

async function serverWithNamespace(...options: ConstructorParameters<typeof TestServer>): Promise<TestServer> {
  const server = new TestServer(...options);
  await server.namespace();
  return server;
}

/** An authorizer that returns the decisions set by the test and records its calls. */
class RecordingAuthorizer implements Authorizer {
  readonly authorized: RequestAttributes[] = [];
  readonly #allows: (attributes: RequestAttributes) => boolean;

  constructor(allows: (attributes: RequestAttributes) => boolean = () => true) {
    this.#allows = allows;
  }

  authorize(attributes: RequestAttributes) {
    this.authorized.push(attributes);
    return { allowed: this.#allows(attributes), reason: '' };
  }
}

describe('authorization', () => {
  it.each([
    ['GET', maps, { verb: 'list', resource: 'configmaps', namespace: 'default', name: '' }],
    ['GET', `${maps}?watch=true`, { verb: 'watch' }],
    ['GET', `${maps}?fieldSelector=metadata.name%3Da`, { verb: 'list', name: 'a', fieldSelector: 'metadata.name=a' }],
    [
      'GET',
      `${pools}/a/status`,
      { verb: 'get', group: 'example.com', version: 'v1', subresource: 'status', name: 'a' },
    ],
    ['POST', maps, { verb: 'create' }],
    ['PUT', `${maps}/a`, { verb: 'update' }],
    ['PATCH', `${maps}/a`, { verb: 'patch' }],
    ['DELETE', `${maps}/a`, { verb: 'delete' }],
    ['DELETE', maps, { verb: 'deletecollection' }],
    [
      'GET',
      '/api/v1/namespaces/default',
      { verb: 'get', resource: 'namespaces', namespace: 'default', name: 'default' },
    ],
    ['PUT', '/api/v1/namespaces/default/finalize', { verb: 'update', resource: 'namespaces', subresource: 'finalize' }],
    ['GET', '/version', { verb: 'get', path: '/version' }],
  ] as const)('checks the attributes of %s %s', async (method, path, attributes) => {
    const authorizer = new RecordingAuthorizer();
    const server = new TestServer({ authorizer });

    await server.send(method, path);

    expect(authorizer.authorized[0]).toMatchObject(attributes);
  });

  it.each([
    [
      'GET',
      maps,
      'configmaps is forbidden: User "admin" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      `${pools}/a`,
      'pools.example.com "a" is forbidden: User "admin" cannot get resource "pools" in API group "example.com" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User "admin" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    ['GET', '/version', 'forbidden: User "admin" cannot get path "/version"'],
  ] as const)("rejects %s %s with upstream's message", async (method, path, message) => {
    const server = new TestServer({ authorizer: new RecordingAuthorizer(() => false) });

    const { status, body } = await server.call(method, path);

    expect(status).toBe(403);
    expect(body.message).toBe(message);
  });
});

describe('impersonation', () => {
  it('acts as another user if each claim is allowed', async () => {
    const authorizer = new RecordingAuthorizer();
    const server = new TestServer({ authorizer });

    await server.send('GET', maps, undefined, { 'Impersonate-User': 'bob', 'Impersonate-Group': 'devs\nops' });

    const [user, group1, group2, request] = authorizer.authorized;
    expect(user).toMatchObject({ verb: 'impersonate', resource: 'users', name: 'bob', user: { username: 'admin' } });
    expect([group1, group2]).toMatchObject([
      { resource: 'groups', name: 'devs' },
      { resource: 'groups', name: 'ops' },
    ]);
    expect(request?.user).toEqual({ username: 'bob', groups: ['devs', 'ops', 'system:authenticated'] });
  });

  it('recognises service accounts and their groups', async () => {
    const authorizer = new RecordingAuthorizer();
    const server = new TestServer({ authorizer });

    await server.send('GET', maps, undefined, { 'Impersonate-User': 'system:serviceaccount:apps:web' });

    expect(authorizer.authorized[0]).toMatchObject({ resource: 'serviceaccounts', namespace: 'apps', name: 'web' });
    expect(authorizer.authorized[1]?.user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:apps',
      'system:authenticated',
    ]);
  });

  it('is authorized like any other request', async () => {
    const authorizer = new RecordingAuthorizer(({ verb }) => verb !== 'impersonate');
    const server = new TestServer({ authorizer });

    const { status } = await server.call('GET', maps, undefined, { 'Impersonate-User': 'bob' });

    expect(status).toBe(403);
  });
});

describe('admission', () => {
  it('mutates, then validates, the object to be stored', async () => {
    const plugin: AdmissionPlugin = {
      name: 'test',
      mutate(request) {
        const { object, operation } = request;
        if (object !== undefined) object.metadata.labels = { ...object.metadata.labels, seen: operation };
        request.warn('be careful');
      },
      validate({ name, operation }) {
        if (name === 'bad') throw forbidden({ resource: 'configmaps', name }, `no ${operation}`);
      },
    };
    const server = await serverWithNamespace({ admission: [plugin] });

    const good = await server.call('POST', maps, { metadata: { name: 'good' } });
    const bad = await server.call('POST', maps, { metadata: { name: 'bad' } });

    expect(good.body.metadata.labels).toEqual({ seen: 'CREATE' });
    expect(good.headers['warning']).toBe('299 - "be careful"');
    expect(bad.body.message).toBe('configmaps "bad" is forbidden: no CREATE');
  });
});

describe('subresources', () => {
  it('status is written only through its subresource', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', pools, { metadata: { name: 'a' }, spec: { replicas: 2 } });

    const { body } = await server.call('PUT', `${pools}/a/status`, {
      ...created,
      metadata: { ...created.metadata, labels: { no: 'no' } },
      spec: { replicas: 9 },
      status: { replicas: 1 },
    });

    expect(body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1 }, metadata: { generation: 1 } });
    expect(body.metadata.labels).toBeUndefined();
  });

  it('scale reads and writes replicas', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a' }, spec: { replicas: 2 } });

    const { body: scale } = await server.call('GET', `${pools}/a/scale`);
    await server.call('PUT', `${pools}/a/scale`, { ...scale, spec: { replicas: 4 } });
    const { body: pool } = await server.call('GET', `${pools}/a`);

    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 0 } });
    expect(pool).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
  });

  it('finalize deletes a terminating namespace once it has no finalizers', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    const { body: terminating } = await server.call('DELETE', '/api/v1/namespaces/other');

    await server.call('PUT', '/api/v1/namespaces/other/finalize', { ...terminating, spec: { finalizers: [] } });

    expect((await server.call('GET', '/api/v1/namespaces/other')).status).toBe(404);
  });

  it.each([
    ['POST', `${pools}/a/status`, 405],
    ['GET', `${maps}/a/status`, 404],
    ['GET', `${pools}/a/nothing`, 404],
    ['GET', '/api/v1/namespaces/default/namespaces', 404],
    ['GET', '/nowhere', 404],
  ] as const)('%s %s returns %d', async (method, path, status) => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a' } });

    expect((await server.call(method, path, method === 'POST' ? {} : undefined)).status).toBe(status);
  });
});

describe('representations', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  it("a Table contains the kind's columns and the objects' metadata", async () => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a' }, spec: { replicas: 2, flavor: 'b3-8' } });
    await server.clock.advance(90_000);

    const { body } = await server.call('GET', pools, undefined, { accept: table });

    expect(body).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }, { name: 'Desired' }, { name: 'Flavor', priority: 1 }, { name: 'Age' }],
      rows: [{ cells: ['a', 2, 'b3-8', '90s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
    });
  });

  it('metadata can be requested without the other fields', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a' }, spec: { replicas: 2 } });
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

    const { body } = await server.call<{ kind: string; items: object[] }>('GET', pools, undefined, { accept });

    expect(body.kind).toBe('PartialObjectMetadataList');
    expect(Object.keys(body.items[0] ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
  });
});

describe('field selectors', () => {
  it('support only the fields that a kind offers', async () => {
    const server = await serverWithNamespace();
    for (const [name, nodeName] of [
      ['a', 'n1'],
      ['b', 'n2'],
    ] as const) {
      await server.call('POST', pods, { metadata: { name }, spec: { nodeName } });
    }

    const { body: bound } = await server.list('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1');
    const unknown = await server.call('GET', '/api/v1/pods?fieldSelector=spec.colour%3Dred');

    expect(bound.items.map((item) => item.metadata.name)).toEqual(['a']);
    expect(unknown.status).toBe(400);
    expect(unknown.body.message).toContain('field label not supported: spec.colour');
  });

  it('let a watch by node see pods arrive and leave', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', pods, { metadata: { name: 'a' }, spec: {} });
    const watch = await server.watch('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1');

    const { body: bound } = await server.call('PUT', `${pods}/a`, { ...created, spec: { nodeName: 'n1' } });
    await server.call('PUT', `${pods}/a`, { ...bound, spec: { nodeName: 'n2' } });

    expect(await watch.take(2)).toEqual(['ADDED a', 'DELETED a']);
    watch.stop();
  });
});

describe('endpoints other than resources', () => {
  it('discovery lists served resources, and follows changes', async () => {
    const server = new TestServer();
    const previous = await server.call<{ resources: { name: string }[] }>('GET', '/apis/example.com/v1');
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await server.call('GET', '/apis', undefined, { accept });
    const conditional = { accept, 'if-none-match': aggregated.headers['etag'] ?? '' };
    const unchanged = await server.send('GET', '/apis', undefined, conditional);

    server.server.unregister('example.com', 'pools');
    const changed = await server.send('GET', '/apis', undefined, conditional);
    const after = await server.call('GET', '/apis/example.com/v1');

    expect(previous.body.resources.map(({ name }) => name)).toEqual(['pools', 'pools/status', 'pools/scale']);
    expect(aggregated.body).toMatchObject({
      items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: [{ resource: 'pools' }] }] }],
    });
    expect([unchanged.status, changed.status]).toEqual([304, 200]);
    expect(after.status).toBe(404);
  });

  it('health endpoints report the failing check if they include it', async () => {
    const server = new TestServer();
    server.server.addHealthCheck('cache', () => Promise.reject(new Error('cold')), { readyOnly: true });

    const live = await server.send('GET', '/livez');
    const ready = await server.send('GET', '/readyz?verbose');

    expect([live.status, await live.text()]).toEqual([200, 'ok']);
    expect([ready.status, await ready.text()]).toEqual([
      500,
      '[+]ping ok\n[-]cache failed: reason withheld\nreadyz check failed\n',
    ]);
  });

  it('other paths can be mounted', async () => {
    const server = new TestServer();
    server.server.addRoute({
      path: '/console',
      prefix: true,
      handle: ({ path }, user) => ({ status: 200, headers: {}, body: `${path} for ${user?.username}` }),
    });

    const response = await server.send('GET', '/console/a');

    expect(await response.text()).toBe('/console/a for admin');
  });

  it('a closing server ends its watches and accepts no more requests', async () => {
    const server = await serverWithNamespace();
    const watch = await server.watch(`${maps}?timeoutSeconds=3600`);

    await server.server.close();

    expect(await watch.next()).toBeUndefined();
    expect((await server.call('GET', maps)).status).toBe(503);
    expect(server.clock.pendingTimers).toBe(0);
  });
});
