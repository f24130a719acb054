import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };

function configMap(name: string, rest: object = {}, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

describeServers('writes', (server, target) => {
  const hasFieldValidation = target.minor >= 25;
  let maps: string;

  beforeAll(async () => {
    maps = `/api/v1/namespaces/${await server().namespace()}/configmaps`;
    for (const name of ['taken', 'target']) {
      await server().raw('POST', maps, { body: configMap(name, { data: { a: '1' } }) });
    }
  });

  it('give a created object a UID, a creation time and a version', async () => {
    const { status, json } = await server().raw('POST', maps, {
      body: configMap('made', { data: { a: '1' } }, { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' }),
    });

    expect(status).toBe(201);
    expect(json).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
    expect(json.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(json.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(Date.parse(json.metadata.creationTimestamp)).toBeGreaterThan(Date.parse('2024-01-01'));
    expect(json.metadata).not.toHaveProperty('selfLink');
  });

  it('generate a new name each time with generateName', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
    const names = new Set<string>();
    for (let index = 0; index < 5; index++) {
      names.add((await server().raw('POST', maps, { body })).json.metadata.name);
    }

    expect(names.size).toBe(5);
    for (const name of names) expect(name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it.runIf(hasFieldValidation)('warn about unknown fields, and drop them', async () => {
    const response = await server().raw('POST', maps, { body: configMap('warned', { foo: 1, data: { a: '1' } }) });
    const ignored = await server().raw('POST', `${maps}?fieldValidation=Ignore`, {
      body: configMap('ignored', { foo: 1 }),
    });

    expect([response.status, ignored.status]).toEqual([201, 201]);
    expect(response.headers.warning).toBe('299 - "unknown field \\"foo\\""');
    expect(response.json).not.toHaveProperty('foo');
    expect(ignored.headers).not.toHaveProperty('warning');
  });

  it('accept YAML, and return it', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n';

    const response = await server().raw('POST', maps, {
      body,
      headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
    });

    expect(response.status).toBe(201);
    expect(response.headers['content-type']).toBe('application/yaml');
    expect(response.text).toMatch(/^apiVersion: v1\ndata:\n {2}a: ["']1["']\nkind: ConfigMap\n/);
  });

  it('are fully processed in a dry run, and store nothing', async () => {
    const before = await server().raw('GET', `${maps}/target`);

    const created = await server().raw('POST', `${maps}?dryRun=All`, { body: configMap('never') });
    const refused = await server().raw('POST', `${maps}?dryRun=All`, { body: configMap('taken') });
    const patched = await server().raw('PATCH', `${maps}/target?dryRun=All`, {
      body: { data: { b: '2' } },
      headers: merge,
    });
    const deleted = await server().raw('DELETE', `${maps}/target?dryRun=All`);
    const deletedByBody = await server().raw('DELETE', `${maps}/target`, {
      body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] },
    });

    expect(created).toMatchObject({ status: 201, json: { metadata: { name: 'never' } } });
    expect(refused).toMatchObject({ status: 409 });
    expect(patched).toMatchObject({ status: 200, json: { data: { a: '1', b: '2' } } });
    expect([deleted.status, deletedByBody.status]).toEqual([200, 200]);
    expect((await server().raw('GET', `${maps}/never`)).status).toBe(404);
    expect((await server().raw('GET', `${maps}/target`)).json).toEqual(before.json);
  });

  it.each<[what: string, query: string, body: object | undefined, left: number]>([
    ['those of its query', '?dryRun=All', undefined, 200],
    ['only those of its body, if it has one', '?dryRun=All&propagationPolicy=Sometimes', {}, 404],
    ['a dry run that only the body requests', '?dryRun=Some', { dryRun: ['All', 'All'] }, 200],
    ['not those after a second question mark in the query', '??dryRun=All', undefined, 404],
  ])('honour these options for a deletion: %s', async (_, query, body, remaining) => {
    const name = server().name('deleted');
    await server().raw('POST', maps, { body: configMap(name) });

    expect((await server().raw('DELETE', `${maps}/${name}${query}`, { body })).status).toBe(200);
    expect((await server().raw('GET', `${maps}/${name}`)).status).toBe(remaining);
  });

  it('overwrite an object if no version is given, and keep its version if nothing changes', async () => {
    await server().raw('POST', maps, { body: configMap('updated', { data: { a: '1' } }) });

    const first = await server().raw('PUT', `${maps}/updated`, { body: configMap('updated', { data: { b: '2' } }) });
    const same = await server().raw('PUT', `${maps}/updated`, { body: first.json });

    expect(first.json.data).toEqual({ b: '2' });
    expect(same.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
  });

  it.each([
    { sort: 'merge', headers: merge, body: { data: { a: null, b: '2' } }, data: { b: '2' } },
    {
      sort: 'JSON',
      headers: jsonPatch,
      body: [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/b', value: '2' },
        { op: 'move', from: '/data/a', path: '/data/c' },
        { op: 'copy', from: '/data/b', path: '/data/d' },
        { op: 'replace', path: '/data/b', value: '3' },
      ],
      data: { b: '3', c: '1', d: '2' },
    },
    {
      sort: 'strategic merge',
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: { data: { $patch: 'replace', b: '2' } },
      data: { b: '2' },
    },
  ])('support a $sort patch', async ({ headers, body, data }) => {
    const name = server().name('patched');
    await server().raw('POST', maps, { body: configMap(name, { data: { a: '1' } }) });

    const { status, json } = await server().raw('PATCH', `${maps}/${name}`, { headers, body });

    expect(status).toBe(200);
    expect(json.data).toEqual(data);
  });

  it('cannot change an immutable object', async () => {
    await server().raw('POST', maps, { body: configMap('fixed', { data: { a: '1' }, immutable: true }) });

    const data = await server().refusal('PATCH', `${maps}/fixed`, { headers: merge, body: { data: { a: '2' } } });
    const flag = await server().refusal('PATCH', `${maps}/fixed`, { headers: merge, body: { immutable: false } });

    expect(data.message).toBe(
      'ConfigMap "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    expect(flag.message).toBe(
      'ConfigMap "fixed" is invalid: immutable: Forbidden: field is immutable when `immutable` is set',
    );
  });

  it('keep a deleted object that has finalizers, and then only allow removing them', async () => {
    await server().raw('POST', maps, { body: configMap('held', {}, { finalizers: ['example.com/a'] }) });

    const terminating = await server().raw('DELETE', `${maps}/held`);
    const again = await server().raw('DELETE', `${maps}/held`);
    const rejected = await server().refusal('PATCH', `${maps}/held`, {
      headers: merge,
      body: { metadata: { finalizers: ['example.com/a', 'example.com/b'] } },
    });
    const released = await server().raw('PATCH', `${maps}/held`, {
      headers: merge,
      body: { metadata: { finalizers: null } },
    });

    expect(terminating.status).toBe(200);
    expect(terminating.json.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/a'] });
    expect(again.json.metadata.deletionTimestamp).toBe(terminating.json.metadata.deletionTimestamp);
    expect(rejected.message).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}',
    );
    expect(released.status).toBe(200);
    expect((await server().raw('GET', `${maps}/held`)).status).toBe(404);
  });

  it('return the last state of a deleted object', async () => {
    const { json: created } = await server().raw('POST', maps, { body: configMap('short-lived') });

    const { status, json } = await server().raw('DELETE', `${maps}/short-lived`);

    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Success',
      details: { name: 'short-lived', kind: 'configmaps', uid: created.metadata.uid },
    });
  });

  it('delete a collection by selector', async () => {
    for (const tier of ['front', 'back']) {
      await server().raw('POST', maps, { body: configMap(`tier-${tier}`, {}, { labels: { tier } }) });
    }

    const { status, json } = await server().raw('DELETE', `${maps}?labelSelector=tier%3Dback`);

    expect(status).toBe(200);
    expect(json.kind).toBe('ConfigMapList');
    expect((await server().raw('GET', `${maps}/tier-back`)).status).toBe(404);
    expect((await server().raw('GET', `${maps}/tier-front`)).status).toBe(200);
  });
});
