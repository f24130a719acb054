import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { TransportError, type TransportRequest } from '@fairway/kube/client/transport';
import { notFound } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FakeTransport } from '@fairway/kube/testing/fake-transport';
import { ExitCode } from '@fairway/service/exit-code';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import { createObjects } from './create-objects.ts';
import { parseManifest } from './manifest.ts';

const requested = {
  clusters: [aCluster({ plan: 'free' }, { name: 'prod', namespace: 'ns' })],
  pools: [aNodePool({ clusterName: 'prod' }, { name: 'web', namespace: 'ns' })],
};
const SERVER_FIELDS = { uid: 'u1', resourceVersion: '7', generation: 1, creationTimestamp: '2026-11-28T00:00:00Z' };

/**
 * An API that stores what is posted, but drops the connection for the writes named by the test, before or after storing
 * them.
 */
function newApi(lost: { readonly path?: string; readonly isStored?: boolean } = {}) {
  const stored = new Map<string, KubeObject>();
  const transport = new FakeTransport(({ method, path, body }: TransportRequest) => {
    const [collection = '', query = ''] = path.split('?');
    if (method === 'GET') {
      const found = stored.get(collection);
      if (found !== undefined) return { body: found };
      const items = [...stored].filter(([each]) => each.startsWith(`${collection}/`)).map(([, object]) => object);
      if (/(clusters|nodepools)$/.test(collection)) return { body: { metadata: {}, items } };
      return { status: 404, body: notFound({ resource: 'clusters', name: 'prod' }).toStatus() };
    }
    const object = JSON.parse(String(body)) as KubeObject;
    const storedObject = {
      ...object,
      metadata: { ...object.metadata, ...SERVER_FIELDS },
      status: { phase: 'Pending' },
    };
    const isDryRun = query.includes('dryRun');
    const isLost = !isDryRun && lost.path !== undefined && collection.endsWith(lost.path);
    if (!isDryRun && (!isLost || lost.isStored)) stored.set(`${collection}/${object.metadata.name}`, storedObject);
    if (isLost) throw new TransportError('POST: socket hang up');
    return { status: 201, body: storedObject };
  });
  return { connection: { client: new KubeClient(transport), namespace: 'ns', server: 'api' }, stored, transport };
}

const names = (stored: ReadonlyMap<string, unknown>) => [...stored.keys()].map((path) => path.replace(/.*\//, ''));

describe('creation interrupted by a lost connection', () => {
  test.each([
    { reason: 'before the cluster is stored', lost: { path: 'clusters' }, left: [] },
    { reason: 'after the cluster is stored', lost: { path: 'clusters', isStored: true }, left: ['prod'] },
    { reason: 'before the pool is stored', lost: { path: 'nodepools' }, left: ['prod'] },
  ])('is completed by the same command: $reason', async ({ lost, left }) => {
    const { connection, stored } = newApi(lost);
    await expect(createObjects(fakeContext(), connection, requested, {})).rejects.toThrow(/socket hang up/);
    expect(names(stored)).toEqual(left);

    const again = newApi();
    for (const [path, object] of stored) again.stored.set(path, object);
    const context = fakeContext();
    await createObjects(context, again.connection, requested, {});

    expect(names(again.stored)).toEqual(['prod', 'web']);
    const words = left.includes('prod') ? 'unchanged' : 'created';
    expect(context.written.stdout).toBe(`cluster.fairway.dev/prod ${words}\nnodepool.fairway.dev/web created\n`);
  });

  test.each([
    { path: 'clusters', known: 'it is unknown whether the object was created' },
    { path: 'nodepools', known: 'cluster.fairway.dev/prod exists now' },
  ])('reports what exists and what to do: $path', async ({ path, known }) => {
    const { connection } = newApi({ path });

    await expect(createObjects(fakeContext(), connection, requested, {})).rejects.toMatchObject({
      advice: `${known}: run the same command again to create what is missing`,
      exitCode: ExitCode.Unreachable,
    });
  });
});

test('checks everything before it stores anything', async () => {
  const { connection, transport } = newApi();
  await createObjects(fakeContext(), connection, requested, {});
  const posts = transport.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);

  expect(posts.map((path) => path.includes('dryRun'))).toEqual([true, true, false, false]);
});

describe('prints created objects as one stream that can be applied again', () => {
  test.each([{ dryRun: true }, { dryRun: false }])('%j', async (options) => {
    const [yaml, json] = [fakeContext(), fakeContext()];
    await createObjects(yaml, newApi().connection, requested, { ...options, output: 'yaml' });
    await createObjects(json, newApi().connection, requested, { ...options, output: 'json' });
    const template = (object: KubeObject) => ({
      ...object,
      apiVersion: 'fairway.dev/v1alpha1',
    });
    const expected = [...requested.clusters, ...requested.pools].map(template);

    expect(loadAll(yaml.written.stdout)).toEqual(expected);
    expect(load(json.written.stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: expected });
    for (const { stdout } of [yaml.written, json.written]) {
      expect(parseManifest(stdout, 'stdin', 'ns')).toEqual({ clusters: [expected[0]], pools: [expected[1]] });
    }
  });
});
