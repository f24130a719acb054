import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { beforeAll, expect, it } from 'vitest';
import type { RecordedResponse } from './contract-server.ts';
import { describeServers } from './targets.ts';

const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

describeServers('patches', (server) => {
  let namespace: string;
  let maps: string;

  beforeAll(async () => {
    namespace = await server().namespace();
    maps = `/api/v1/namespaces/${namespace}/configmaps`;
  });

  interface Merge {
    readonly what: string;
    readonly patch: object;
    readonly containers: readonly string[];
  }

  it.each<Merge>([
    {
      what: 'changes the item of this name',
      patch: { containers: [{ name: 'b', image: 'b:2' }] },
      containers: ['a a', 'b b:2', 'c c'],
    },
    {
      what: 'puts a new item first',
      patch: { containers: [{ name: 'd', image: 'd' }] },
      containers: ['d d', 'a a', 'b b', 'c c'],
    },
    {
      what: 'puts a new item after the item listed before it',
      patch: {
        containers: [
          { name: 'b', image: 'b' },
          { name: 'd', image: 'd' },
        ],
      },
      containers: ['a a', 'b b', 'd d', 'c c'],
    },
    { what: 'deletes by name', patch: { containers: [{ name: 'a', $patch: 'delete' }] }, containers: ['b b', 'c c'] },
    {
      what: 'replaces a list on request',
      patch: { containers: [{ name: 'x', image: 'x' }, { $patch: 'replace' }] },
      containers: ['x x'],
    },
    {
      what: 'orders items as requested',
      patch: {
        containers: [{ name: 'd', image: 'd' }],
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }, { name: 'a' }, { name: 'b' }],
      },
      containers: ['c c', 'd d', 'a a', 'b b'],
    },
  ])('a strategic merge $what', async ({ patch, containers }) => {
    const name = server().name('merged');
    const template = `/api/v1/namespaces/${namespace}/podtemplates`;
    const spec = { containers: ['a', 'b', 'c'].map((item) => ({ name: item, image: item })) };
    await server().raw('POST', template, {
      body: { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name }, template: { spec } },
    });

    const { json } = await server().raw('PATCH', `${template}/${name}`, {
      headers: strategic,
      body: { template: { spec: patch } },
    });

    const merged = (json.template as { spec: { containers: { name: string; image: string }[] } }).spec.containers;
    expect(merged.map((item) => `${item.name} ${item.image}`)).toEqual(containers);
  });

  async function applied(name: string, manager: string, data: object, query = ''): Promise<RecordedResponse> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    return (await server().raw('PATCH', `${maps}/${name}?fieldManager=${manager}${query}`, { headers: apply, body }))
      .json;
  }

  function ownersOf({ metadata }: RecordedResponse): Record<string, unknown> {
    const entries: readonly ManagedFieldsEntry[] = metadata.managedFields;
    return Object.fromEntries(entries.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]));
  }

  it('creates an object by apply, and tracks the applied fields', async () => {
    const created = await applied('made', 'one', { a: '1' });
    const again = await applied('made', 'one', { a: '1' });

    expect(created.data).toEqual({ a: '1' });
    expect(ownersOf(created)).toEqual({ 'one Apply': { 'f:data': { 'f:a': {} } } });
    expect(again.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it('reports a conflict for a field with another owner, and takes it over by force', async () => {
    await applied('fought', 'one', { a: '1', b: '1' });
    const same = await applied('fought', 'two', { b: '1' });
    const refused = await applied('fought', 'three', { a: '2' });
    const forced = await applied('fought', 'three', { a: '2' }, '&force=true');

    expect(ownersOf(same)).toMatchObject({
      'one Apply': { 'f:data': { 'f:b': {} } },
      'two Apply': { 'f:data': { 'f:b': {} } },
    });
    expect(refused).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
    });
    expect(forced.data).toEqual({ a: '2', b: '1' });
    expect(ownersOf(forced)).toEqual({
      'one Apply': { 'f:data': { 'f:b': {} } },
      'two Apply': { 'f:data': { 'f:b': {} } },
      'three Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  it('removes fields omitted by an apply, unless another manager owns them', async () => {
    await applied('left', 'one', { mine: '1', shared: '1' });
    await applied('left', 'two', { shared: '1' });

    const less = await applied('left', 'one', {});

    expect(less.data).toEqual({ shared: '1' });
  });

  it('makes the manager of an update the owner of the fields that it changes', async () => {
    await applied('updated', 'one', { a: '1', b: '1' });
    const { json } = await server().raw('PATCH', `${maps}/updated?fieldManager=editor`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data: { a: '2', c: '3' } },
    });

    expect(ownersOf(json)).toEqual({
      'one Apply': { 'f:data': { 'f:b': {} } },
      'editor Update': { 'f:data': { 'f:a': {}, 'f:c': {} } },
    });
  });
});
