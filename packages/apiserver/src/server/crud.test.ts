import { describe, expect, it } from 'vitest';
import { TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pools = '/apis/example.com/v1/namespaces/default/pools';
const pods = '/api/v1/namespaces/default/pods';

async function serverWithNamespace(): Promise<TestServer> {
  const server = new TestServer();
  await server.namespace();
  return server;
}

describe('create', () => {
  it('sets uid, creationTimestamp and resourceVersion, and drops status', async () => {
    const server = await serverWithNamespace();

    const { status, body } = await server.call('POST', pools, {
      metadata: { name: 'a', uid: 'mine', generation: 7 },
      spec: { replicas: 2 },
      status: { replicas: 2 },
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'Pool',
      metadata: { name: 'a', namespace: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { replicas: 2 },
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.status).toBeUndefined();
  });

  it.each([
    ['a name that is already taken', maps, { metadata: { name: 'taken' } }, 409, 'configmaps "taken" already exists'],
    [
      'a missing namespace',
      '/api/v1/namespaces/no/configmaps',
      { metadata: { name: 'a' } },
      404,
      'namespaces "no" not found',
    ],
    [
      'a missing name',
      maps,
      {},
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'an object of another kind',
      maps,
      { kind: 'Pod', metadata: { name: 'a' } },
      400,
      'Pod in version "v1" cannot be handled as a ConfigMap',
    ],
    [
      'an object for another namespace',
      maps,
      { metadata: { name: 'a', namespace: 'b' } },
      400,
      'the namespace of the provided object does not match',
    ],
    ['an invalid name', maps, { metadata: { name: 'A_' } }, 422, 'a lowercase RFC 1123 subdomain must consist of'],
    [
      'an unserved resource',
      '/api/v1/namespaces/default/nothings',
      {},
      404,
      'the server could not find the requested resource',
    ],
  ])('rejects %s', async (_, path, object, code, message) => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'taken' } });

    const { status, body } = await server.call('POST', path, object);

    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(body.message).toContain(message);
  });

  it('generates a name from generateName and retries on a collision', async () => {
    const draws = [...Array<number>(10).fill(0), ...Array<number>(5).fill(0.99)];
    const server = new TestServer({ random: () => draws.shift() ?? 0.5 });
    await server.namespace();

    const first = await server.call('POST', maps, { metadata: { generateName: 'web-' } });
    const second = await server.call('POST', maps, { metadata: { generateName: 'web-' } });

    expect(first.body.metadata.name).toBe('web-bbbbb');
    expect(second.body.metadata.name).toBe('web-99999');
  });

  it('stores nothing on a dry run', async () => {
    const server = await serverWithNamespace();

    const dryRun = await server.call('POST', `${maps}?dryRun=All`, { metadata: { name: 'a' } });

    expect(dryRun.status).toBe(201);
    expect(dryRun.body.metadata.uid).toBeDefined();
    expect((await server.call('GET', `${maps}/a`)).status).toBe(404);
  });
});

describe('schemas', () => {
  it('set defaults and drop unknown fields, with a warning', async () => {
    const server = await serverWithNamespace();

    const { body, headers } = await server.call('POST', pools, { metadata: { name: 'a' }, spec: { colour: 'red' } });

    expect(body.spec).toEqual({ replicas: 1 });
    expect(headers['warning']).toBe('299 - "unknown field \\"spec.colour\\""');
  });

  it.each([
    [
      'unknown',
      { metadata: { name: 'a' }, spec: { colour: 'red' } },
      'strict decoding error: unknown field "spec.colour"',
    ],
    ['duplicate', '{"metadata":{"name":"a"},"spec":{"flavor":"a","flavor":"b"}}', 'duplicate field "spec.flavor"'],
  ])('reject %s fields in strict mode', async (_, object, message) => {
    const server = await serverWithNamespace();

    const { status, body } = await server.call('POST', `${pools}?fieldValidation=Strict`, object);

    expect(status).toBe(400);
    expect(body.message).toContain(message);
  });

  it.each([
    [
      'a value of another type',
      { spec: { replicas: 'two' } },
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer',
    ],
    ['a value out of range', { spec: { replicas: -1 } }, 'spec.replicas: Invalid value: -1'],
    ['a spec that is not an object', { spec: 'much' }, 'spec: Invalid value'],
  ])('reject %s', async (_, object, message) => {
    const server = await serverWithNamespace();

    const { status, body } = await server.call('POST', pools, { metadata: { name: 'a' }, ...object });

    expect(status).toBe(422);
    expect(body.message).toContain(message);
  });
});

describe('update', () => {
  it('counts spec changes in generation, and leaves status alone', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', pools, { metadata: { name: 'a' }, spec: { replicas: 1 } });

    const { body: scaled } = await server.call('PUT', `${pools}/a`, {
      ...created,
      spec: { replicas: 3 },
      status: { replicas: 9 },
    });
    const { body: labelled } = await server.call('PUT', `${pools}/a`, {
      ...scaled,
      metadata: { ...scaled.metadata, labels: { x: 'y' } },
    });

    expect(scaled).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
    expect(scaled.status).toBeUndefined();
    expect(labelled.metadata.generation).toBe(2);
  });

  it('does not write a no-op', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', maps, { metadata: { name: 'a' }, data: { a: '1', b: '2' } });
    const { apiVersion, kind, metadata } = created;

    const { body } = await server.call('PUT', `${maps}/a`, { kind, metadata, apiVersion, data: { b: '2', a: '1' } });

    expect(body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it("rejects a stale version, with upstream's message", async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', maps, { metadata: { name: 'a' } });
    await server.call('PUT', `${maps}/a`, { ...created, data: { a: '1' } });

    const { status, body } = await server.call('PUT', `${maps}/a`, { ...created, data: { a: '2' } });

    expect(status).toBe(409);
    expect(body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  it('accepts an update without a version if the kind allows it', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'a' } });
    await server.call('POST', pools, { metadata: { name: 'a' } });

    const map = await server.call('PUT', `${maps}/a`, { metadata: { name: 'a' }, data: { a: '1' } });
    const pool = await server.call('PUT', `${pools}/a`, { metadata: { name: 'a' }, spec: {} });

    expect(map.status).toBe(200);
    expect(pool.status).toBe(422);
    expect(pool.body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });

  it('rejects a different UID, and does not create a missing object', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'a' } });

    const other = await server.call('PUT', `${maps}/a`, { metadata: { name: 'a', uid: 'other' } });
    const missing = await server.call('PUT', `${maps}/b`, { metadata: { name: 'b' } });

    expect([other.status, missing.status]).toEqual([409, 404]);
    expect(other.body.message).toContain('Precondition failed: UID in precondition: other');
  });
});

describe('delete', () => {
  it('removes objects without finalizers immediately', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', maps, { metadata: { name: 'a' } });

    const { status, body } = await server.call('DELETE', `${maps}/a`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: created.metadata.uid },
    });
    expect((await server.call('GET', `${maps}/a`)).status).toBe(404);
  });

  it('waits for finalizers, and rejects new ones', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a', finalizers: ['example.com/hold'] } });

    const { body: held } = await server.call('DELETE', `${pools}/a`);
    const added = await server.call('PUT', `${pools}/a`, {
      ...held,
      metadata: { ...held.metadata, finalizers: ['example.com/hold', 'example.com/more'] },
    });
    await server.call('PUT', `${pools}/a`, { ...held, metadata: { ...held.metadata, finalizers: [] } });

    expect(held.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
    expect((await server.call('GET', `${pools}/a`)).status).toBe(404);
  });

  it('gives a pod on a node its grace period, and removes it on a second delete with grace period 0', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', pods, { metadata: { name: 'a' }, spec: { nodeName: 'n1' } });

    const first = await server.call('DELETE', `${pods}/a`, { gracePeriodSeconds: 20 });
    const second = await server.call('DELETE', `${pods}/a`, { gracePeriodSeconds: 0 });

    expect(first.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:20Z',
      deletionGracePeriodSeconds: 20,
    });
    expect(second.body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await server.call('GET', `${pods}/a`)).status).toBe(404);
  });

  it.each([
    ['Orphan', ['orphan']],
    ['Foreground', ['foregroundDeletion']],
  ])('%s leaves its finalizer to the garbage collector', async (propagationPolicy, finalizers) => {
    const server = await serverWithNamespace();
    await server.call('POST', pools, { metadata: { name: 'a' } });

    const { body } = await server.call('DELETE', `${pools}/a`, { kind: 'DeleteOptions', propagationPolicy });

    expect(body.metadata.finalizers).toEqual(finalizers);
  });

  it('checks preconditions', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'a' } });

    const uid = await server.call('DELETE', `${maps}/a`, { preconditions: { uid: 'other' } });
    const version = await server.call('DELETE', `${maps}/a`, { preconditions: { resourceVersion: '1' } });

    expect([uid.status, version.status]).toEqual([409, 409]);
  });

  it('deletes the objects that a selector matches', async () => {
    const server = await serverWithNamespace();
    for (const name of ['a', 'b', 'c']) {
      await server.call('POST', maps, { metadata: { name, labels: { keep: String(name === 'b') } } });
    }

    await server.call('DELETE', `${maps}?labelSelector=keep%3Dfalse`);

    const { body } = await server.list(maps);
    expect(body.items.map((item) => item.metadata.name)).toEqual(['b']);
  });
});

describe('namespaces', () => {
  it('stay until finalized, and reject new objects in the meantime', async () => {
    const server = await serverWithNamespace();

    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });

    const { body: terminating } = await server.call('DELETE', '/api/v1/namespaces/other');
    const late = await server.call('POST', '/api/v1/namespaces/other/configmaps', { metadata: { name: 'a' } });

    expect(terminating).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } });
    expect(late.status).toBe(403);
    expect(late.body.details).toMatchObject({ causes: [{ reason: 'NamespaceTerminating' }] });
  });
});
